import { ApiFailure } from './api-failure.ts';
import { ServiceUnreachable } from './service-unreachable.ts';

const REQUEST_TIMEOUT = 408;
const TOO_MANY_REQUESTS = 429;

/** Whether the same request may succeed later: the service says the same again about a request that it refuses. */
export function isTemporary(error: Error): boolean {
  if (!(error instanceof ApiFailure)) return error instanceof ServiceUnreachable;
  return error.status >= 500 || error.status === REQUEST_TIMEOUT || error.status === TOO_MANY_REQUESTS;
}
