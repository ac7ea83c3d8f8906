import { MediaServiceError } from '../../../sip/media/media-service-error.ts';

/** The end reason of a call that could not start. */
export function startFailureReason(error: unknown): 'media_error' | 'internal_error' {
  return error instanceof MediaServiceError ? 'media_error' : 'internal_error';
}
