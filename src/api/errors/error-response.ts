import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ObjectStoreError } from '../../object-storage/object-store.ts';
import { DatabaseError } from '../../storage/link/database-error.ts';
import { ApiError } from './api-error.ts';
import { failure } from './envelope.ts';

/** `retry-after` of a temporary database error. */
const RETRY_AFTER_SECONDS = 1;
const OTHER_LENGTH = 'The body has another length than the Content-Length header says';
const UNDECODABLE_PATH = 'The path cannot be decoded: write % as %25, and other characters as percent-encoded UTF-8';

/** Sends every error in the envelope. Unexpected errors are logged, and the client sees only a 500. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (request.raw.destroyed && !request.raw.complete) {
    request.log.info({ method: request.method, route: request.routeOptions.url }, 'request aborted');
    // Ends the reply for Fastify: there is no client to send it to.
    reply.hijack();
    return;
  }
  const apiError = apiErrorOf(error);
  if (apiError.status >= 500 && apiError !== error) request.log.error({ err: error }, 'request failed');
  if (apiError.retryAfterSeconds !== null) reply.header('retry-after', apiError.retryAfterSeconds);
  reply
    .code(apiError.status)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(failure(apiError));
}

export function sendNotFound(_request: FastifyRequest, reply: FastifyReply): void {
  const error = endpointNotFound();
  reply.code(error.status).send(failure(error));
}

export function endpointNotFound(): ApiError {
  return new ApiError('not_found', { message: 'Endpoint not found: see /docs for the list of endpoints' });
}

function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof DatabaseError) {
    return error.retryable
      ? new ApiError('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS })
      : new ApiError('internal');
  }
  if (error instanceof ObjectStoreError) return new ApiError('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS });
  if (!isFastifyError(error)) return new ApiError('internal');
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError('body_too_large');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError('media_type');
    // The path parameter is longer than any id.
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new ApiError('not_found');
    // A QUERY to an unknown path: a known one refuses the method before.
    case 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE':
      return endpointNotFound();
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new ApiError('body_unparsable');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new ApiError('bad_request', { message: OTHER_LENGTH });
    case 'FST_ERR_BAD_URL':
      return new ApiError('bad_request', { message: UNDECODABLE_PATH });
  }
  const { statusCode } = error;
  if (statusCode === undefined || statusCode >= 500) return new ApiError('internal');
  return new ApiError(statusCode === 404 ? 'not_found' : 'bad_request');
}

function isFastifyError(error: unknown): error is FastifyError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}
