/** Why a call gets no media. */
export type MediaPlaneErrorCode =
  | 'no_port' // every pair of the configured range is taken, by us or by others
  | 'no_slot' // every worker holds as many calls as it can
  | 'no_worker' // no worker lives; one is being started
  | 'closed'; // the plane was closed

export class MediaPlaneError extends Error {
  readonly code: MediaPlaneErrorCode;

  constructor(code: MediaPlaneErrorCode, message: string) {
    super(message);
    this.name = 'MediaPlaneError';
    this.code = code;
  }
}
