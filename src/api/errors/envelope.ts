import { z } from 'zod';
import { type ApiError, ERROR_TYPES } from './api-error.ts';

const detailSchema = z
  .object({
    field: z
      .string()
      .nullable()
      .describe('Path of the field, for example `states[2].tools[0].url`. null: the body as a whole.'),
    message: z.string().describe('Why the field is not valid.'),
  })
  .meta({ id: 'FieldFault', description: 'An invalid field.' });

const errorType = z.enum(ERROR_TYPES).meta({ id: 'ErrorType', description: 'Kind of error.' });

const errorSchema = z
  .object({
    message: z.string().describe('Human-readable cause of the failure.'),
    type: errorType.describe('Kind of error. Programs branch on `type` and `status`, not on `message`.'),
    status: z.int().min(400).max(599).describe('HTTP status code.'),
    details: z
      .array(detailSchema)
      .nullable()
      .optional()
      .describe('The invalid fields, for a 422. At most 100 are listed. null for other errors.'),
  })
  .meta({ id: 'FailureError', description: 'The error of a failed request.' });

const callReference = z
  .object({ call_id: z.uuid().describe('Identifier of the call.') })
  .meta({ id: 'CallReference', description: 'The call that was created although the request failed.' });

/** The body of every failure. Only a 401 has `type` at the top level. */
export const failureSchema = z
  .object({
    message: z.string().describe('Human-readable cause of the failure. The same text as `error.message`.'),
    data: callReference
      .nullable()
      .describe('The call that was created although the request failed (408, 502). null otherwise.'),
    error: errorSchema.describe('The error.'),
    status: z.int().min(400).max(599).describe('HTTP status code.'),
    type: errorType.optional().describe('Only on 401: the same value as `error.type`.'),
  })
  .meta({ id: 'Failure', description: 'Body of every failed request.' });

/** The body of every success. `message` is the message of the operation: the document shows it as the example. */
export function envelopeOf<T extends z.ZodType>(data: T, message: string) {
  return z.object({
    message: z.string().meta({ description: 'Human-readable result.', examples: [message] }),
    data,
    error: z.null().describe('Always null on success.'),
    status: z.int().min(200).max(299).describe('HTTP status code.'),
  });
}

export function success<T>(status: 200 | 201, message: string, data: T) {
  return { message, data, error: null, status };
}

export function failure(error: ApiError): z.output<typeof failureSchema> {
  const { callId, message, type, status, details } = error;
  return {
    message,
    data: callId === null ? null : { call_id: callId },
    error: { message, type, status, details: details === null ? null : [...details] },
    status,
    // The specification shows a bare error object for 401: `type`, `message` and `status` at the top level serve its readers.
    ...(status === 401 && { type }),
  };
}

/** The failures that every operation can answer, for its `response` schemas. */
export const FAILURES = {
  400: failureSchema,
  401: failureSchema,
  403: failureSchema,
  404: failureSchema,
  422: failureSchema,
  429: failureSchema,
  500: failureSchema,
  503: failureSchema,
} as const;

type FailureStatus = keyof typeof FAILURES | 408 | 409 | 413 | 415 | 502;

/** Failures of one operation, each with the message that it sends. The document shows the message as the example. */
export function failures(messages: Readonly<Partial<Record<FailureStatus, string>>>) {
  return Object.fromEntries(
    Object.entries(messages).map(([status, description]) => [
      status,
      { description, content: { 'application/json': { schema: failureSchema } } },
    ]),
  );
}
