import type { CallRecord } from '../storage/calls/call-record.ts';
import { ApiError } from './api-error.ts';

/** 409 for a call that is in progress, and not on this node; or it has just ended. */
export function callNotHere({ nodeId }: CallRecord): ApiError {
  if (nodeId === null) return callNotInProgress();
  return new ApiError('conflict', { message: `The call is on node ${nodeId} (node.id in its DATA_DIR): ask it there` });
}

export function callNotInProgress(): ApiError {
  return new ApiError('conflict', { message: 'The call is not in progress' });
}
