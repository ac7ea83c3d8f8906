/** Why a call gets no media. */
export type MediaServiceErrorCode =
  | 'no_port' // every pair of the configured range is taken, by us or by others
  | 'no_slot' // every worker holds as many calls as it can
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
