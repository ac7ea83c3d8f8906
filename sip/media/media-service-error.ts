/** The reason why a media session could not be opened. */
export type MediaServiceErrorCode =
  | 'no_port' // every pair of the configured range is in use, by us or by other processes
  | 'no_slot' // every worker runs its maximum number of calls
  | 'no_worker' // no worker runs; one is starting
  | 'closed'; // the service was closed

export class MediaServiceError extends Error {
  readonly code: MediaServiceErrorCode;

  constructor(code: MediaServiceErrorCode, message: string) {
    super(message);
    this.name = 'MediaServiceError';
    this.code = code;
  }
}
