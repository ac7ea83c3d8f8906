import { z } from 'zod';
import { type ApiError, ERROR_TYPES } from './api-error.ts';

const detailSchema = z.object({
  field: z
    .string()
    .nullable()
    .describe('Path of the field, such as `states[2].tools[0].url`; null: the body as a whole.'),
  message: z.string().describe('What is wrong with it, for people.'),
});

const errorSchema = z.object({
  message: z.string().describe('What went wrong, for people.'),
  type: z.enum(ERROR_TYPES).describe('The kind of error, for programs.'),
  status: z.int().min(400).max(599).describe('The HTTP status again.'),
  details: z.array(detailSchema).nullable().optional().describe('Every field that is wrong, up to 100 of them.'),
});

/** The body of every failure; `type` stands at the top level of a 401 only. */
export const failureSchema = z
  .object({
    message: z.string().describe('What went wrong, for people.'),
    data: z
      .object({ call_id: z.uuid().describe('The call.') })
      .nullable()
      .describe('A call that was made and goes on; else null.'),
    error: errorSchema.describe('The error, for programs.'),
    status: z.int().min(400).max(599).describe('The HTTP status again.'),
    type: z.enum(ERROR_TYPES).optional().describe('With 401 only: the type of the error again.'),
  })
  .meta({ id: 'Failure', description: 'The body of every failure.' });

/** The body of every success. */
export function envelopeOf<T extends z.ZodType>(data: T) {
  return z.object({
    message: z.string().describe('What came of it, for people.'),
    data,
    error: z.null().describe('Null: nothing went wrong.'),
    status: z.int().min(200).max(299).describe('The HTTP status again.'),
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
    // A client that reads the specification's bare error object at a 401 finds its `type` (and message and status) here.
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
