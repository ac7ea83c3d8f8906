import { z } from 'zod';
import type { JsonValue } from '../../../engine/agent/json-value.ts';

/** ITU-T E.164: up to 15 digits after the +. The specification asks for at least 8 characters. */
export const phoneNumberSchema = z
  .string()
  .regex(/^\+[1-9]\d{6,14}$/, 'expected an E.164 number: + and 7 to 15 digits')
  .describe('E.164 number: + and 7 to 15 digits, for example `+493012345678`.');

/** An id in a request, in upper or lower case (RFC 9562 §4). Stored ids are lower case. */
export const givenId = z.uuid().toLowerCase();

/** Path parameters of one resource, for example `the agent`. */
export function idParams(resource: string) {
  return z.object({ id: givenId.describe(`Identifier of ${resource}.`) });
}

export const timestamp = z.iso.datetime({ offset: true }).describe('Time, ISO 8601.');

/** A time in a request. Python's `datetime.isoformat()` and others write UTC without a zone. */
export const givenTime = z.iso
  .datetime({ offset: true, local: true })
  .describe('Time, ISO 8601. Without a zone it is UTC.');

/** A `givenTime` in ms since 1970. `Date.parse` reads a date-time without a zone in the zone of the process. */
export function givenTimeMs(text: string): number {
  return Date.parse(/Z$|[+-]\d{2}:\d{2}$/.test(text) ? text : `${text}Z`);
}

export const createdAt = timestamp.describe('Time of creation, ISO 8601.');

const WEBHOOK_URL_LENGTH_MAX = 2_048;

/** A receiver of the user. The guarded HTTP client checks its address at each request. */
export const webhookUrl = z
  .url({ protocol: /^https?$/, error: 'expected an http or https URL' })
  .max(WEBHOOK_URL_LENGTH_MAX)
  .refine((url) => {
    const parsed = URL.parse(url);
    return parsed === null || (parsed.username === '' && parsed.password === '');
  }, 'expected a URL without username and password');

/** A boolean query parameter: the text `true` or `false` on the wire, a boolean in the document. */
export function queryFlag(fallback: boolean, description: string) {
  return z
    .stringbool({ truthy: ['true'], falsy: ['false'] })
    .default(fallback)
    .meta({ type: 'boolean', default: fallback, description });
}

/** A field of responses that a request may repeat, so that a client can send back what it read. It is ignored. */
export const readOnly = z.unknown().optional().describe('Read-only. Ignored in requests.');

/**
 * Any JSON value: the body was parsed from JSON, so no check is needed. `z.json()` is a recursive schema, which the OpenAPI
 * document cannot inline.
 */
const jsonValue: z.ZodType<JsonValue> = z.any();

/** A JSON object. In a response it is not validated again: it was validated as a request. */
export const jsonObject = z
  .record(z.string(), jsonValue)
  .meta({ id: 'JsonObject', description: 'Names and JSON values.' });

/** Numbers of versions are 32-bit integers in the database. */
export const AGENT_VERSION_MAX = 2_147_483_647;
