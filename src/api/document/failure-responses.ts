import { ApiError, invalidField, notFound, scopeMissing } from '../errors/api-error.ts';
import { failure } from '../errors/envelope.ts';
import { KEY_MISMATCH } from '../requests/idempotency.ts';
import type { Header, Reference, Response } from './openapi-document.ts';
import { capitalized, schemaReference } from './openapi-document.ts';

/** A failure that many operations send: the name of its component, what it means, and its errors by the name of the example. */
interface GeneralFailure {
  readonly name: string;
  readonly description: string;
  readonly errors: Readonly<Record<string, ApiError>>;
}

const GENERAL_FAILURES: Readonly<Record<string, GeneralFailure>> = {
  400: {
    name: 'BadRequest',
    description: 'The request or its body cannot be read.',
    errors: { bad_request: new ApiError('bad_request'), body_unparsable: new ApiError('body_unparsable') },
  },
  401: {
    name: 'Unauthorized',
    description: 'The API key is missing, malformed, unknown or revoked.',
    errors: { key_missing: new ApiError('key_missing'), key_unknown: new ApiError('key_unknown') },
  },
  403: {
    name: 'Forbidden',
    description: 'The API key lacks the scope of the operation.',
    errors: { read: scopeMissing('read'), write: scopeMissing('write'), admin: scopeMissing('admin') },
  },
  404: {
    name: 'NotFound',
    description: 'The resource does not exist, or belongs to another organization.',
    errors: { resource: notFound('Resource') },
  },
  408: {
    name: 'StagingTimeout',
    description: 'The call is still being prepared.',
    errors: { staging_timeout: new ApiError('staging_timeout') },
  },
  409: {
    name: 'IdempotencyKeyConflict',
    description: 'The idempotency key was used with a different request.',
    errors: { idempotency_key: new ApiError('conflict', { message: KEY_MISMATCH }) },
  },
  413: {
    name: 'BodyTooLarge',
    description: 'The body is larger than 1 MiB.',
    errors: { body_too_large: new ApiError('body_too_large') },
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The `Content-Type` of the body is not `application/json`.',
    errors: { media_type: new ApiError('media_type') },
  },
  422: {
    name: 'ValidationFailed',
    description: 'Fields of the query or the body are not valid. `error.details` lists them.',
    errors: { validation: invalidField('unexpected_field', 'Unknown field') },
  },
  429: {
    name: 'RateLimited',
    description: 'A rate limit of the API key is exceeded.',
    errors: { rate_limited: new ApiError('rate_limited') },
  },
  500: {
    name: 'InternalError',
    description: 'The service failed. The cause is in its log.',
    errors: { internal: new ApiError('internal') },
  },
  502: {
    name: 'PreparationFailed',
    description: 'The call could not be prepared.',
    errors: { preparation_failed: new ApiError('preparation_failed') },
  },
  503: {
    name: 'Unavailable',
    description: 'The service is temporarily unavailable.',
    errors: { unavailable: new ApiError('unavailable') },
  },
};

/** One operation's failures with one status. */
export interface OperationFailure {
  readonly status: string;
  /** Messages that this operation sends; empty if it sends only the general ones. */
  readonly messages: readonly string[];
  /** Whether other operations send the same messages. */
  readonly isShared: boolean;
  /** Whether the operation also sends the general messages. */
  readonly isGeneral: boolean;
}

interface NamedResponse {
  /** null: a response of one operation, which needs no name. */
  readonly name: string | null;
  readonly response: Response;
}

/** The response of a failure, with an example of each message. */
export function failureResponse(
  { isGeneral, isShared, messages, status }: OperationFailure,
  headers: Readonly<Record<string, Header | Reference>>,
): NamedResponse {
  const general = GENERAL_FAILURES[status];
  const [error] = Object.values(general?.errors ?? {});
  if (general === undefined || error === undefined) {
    throw new Error(`status ${status} has no general failure: add it to GENERAL_FAILURES`);
  }
  const known = Object.values(general.errors).map(({ message }) => message);
  const special = messages.filter((message) => !known.includes(message));
  const [first] = special;
  const named = special.map((message, index) => [exampleName(index), new ApiError(error.code, { message })]);
  const errors = { ...Object.fromEntries(named), ...(isGeneral && general.errors) };
  const headersOrNone = Object.keys(headers).length > 0 && { headers };
  const content = { 'application/json': { schema: schemaReference('Failure'), examples: examplesOf(errors) } };
  if (first === undefined) {
    return { name: general.name, response: { description: general.description, ...headersOrNone, content } };
  }
  const description = `${special.join('. Or: ')}.`;
  return { name: isShared ? nameOf(first) : null, response: { description, ...headersOrNone, content } };
}

function examplesOf(errors: Readonly<Record<string, ApiError>>) {
  return Object.fromEntries(Object.entries(errors).map(([name, error]) => [name, { value: failure(error) }]));
}

function exampleName(index: number): string {
  return index === 0 ? 'operation' : `operation_${index + 1}`;
}

/** `SipTrunkNotFound` for `SIP trunk not found`. */
function nameOf(message: string): string {
  const [sentence = ''] = message.replace(/^The /, '').split(/[:,]/);
  return sentence
    .split(/[^A-Za-z]+/)
    .map((word) => capitalized(word.toLowerCase()))
    .join('');
}
