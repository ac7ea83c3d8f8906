/**
 * `invalid_header`, `invalid_address`: the request cannot be sent. `already_answered`: a final response was
 * sent. `transaction_lost`: the server, its connection or the peer was lost before the exchange was complete.
 */
export type SignallingErrorCode = 'invalid_header' | 'invalid_address' | 'already_answered' | 'transaction_lost';

export class SignallingError extends Error {
  override readonly name = 'SignallingError';
  readonly code: SignallingErrorCode;

  constructor(code: SignallingErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
