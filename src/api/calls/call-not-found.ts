import type { CallRecord } from '../../storage/calls/call-record.ts';
import { ApiError } from '../errors/api-error.ts';

/** 409 for a call that this node does not run: it is on another node, or has just ended. */
export function callNotFound({ nodeId }: CallRecord): ApiError {
  if (nodeId === null) return callNotInProgress();
  return new ApiError('conflict', {
    message: `The call is on node ${nodeId} (file node.id in its DATA_DIR): send the request to that node`,
  });
}

export function callNotInProgress(): ApiError {
  return new ApiError('conflict', { message: 'The call is not in progress' });
}
