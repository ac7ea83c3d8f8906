import { z } from 'zod';
import type { JsonValue } from '../../../engine/ports/language-model.ts';

/** ITU-T E.164: up to 15 digits behind the +. The specification asks for at least 8 characters. */
export const phoneNumberSchema = z
  .string()
  .regex(/^\+[1-9]\d{6,14}$/, 'expected an E.164 number: + and 7 to 15 digits')
  .describe('E.164: + and 7 to 15 digits.');

/** An id that a client gives, in either case (RFC 9562, §4); ours are in small letters. */
export const givenId = z.uuid().toLowerCase();

export const idParams = z.object({ id: givenId.describe('Its id.') });

export const timestamp = z.iso.datetime({ offset: true }).describe('ISO 8601.');

/** A query's `true` or `false`: text on the wire, a boolean in the document. */
export function queryFlag(fallback: boolean, description: string) {
  return z
    .stringbool({ truthy: ['true'], falsy: ['false'] })
    .default(fallback)
    .meta({ type: 'boolean', default: fallback, description });
}

/**
 * Any JSON: a body was parsed from nothing else. Zod's own `json` says the same as a schema that refers to itself, which the
 * OpenAPI document cannot hold in place.
 */
const jsonValue: z.ZodType<JsonValue> = z.any();

/** An object that a client gives. */
export const jsonObject = z.record(z.string(), jsonValue);
/** An object in an answer: it was read when it came in, so it is not looked into again. */
export const answeredObject = z.record(z.string(), z.unknown());
