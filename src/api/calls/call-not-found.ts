import { ApiError } from '../errors/api-error.ts';

export function callNotInProgress(): ApiError {
  return new ApiError('conflict', { message: 'The call is not in progress' });
}
