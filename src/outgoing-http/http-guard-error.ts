export type HttpGuardErrorCode =
  | 'invalid_url' // not http or https, credentials in it, or no URL
  | 'refused_address' // the policy refuses every address that the host has
  | 'not_found' // the name has no address
  | 'timeout'
  | 'unreachable' // refused, reset, or no proper TLS or HTTP spoken there
  | 'closed'; // the client was closed

/** Why a request has no response. The message holds no secret, so the owner of the agent may read it. */
export class HttpGuardError extends Error {
  override readonly name = 'HttpGuardError';
  readonly code: HttpGuardErrorCode;

  constructor(code: HttpGuardErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
