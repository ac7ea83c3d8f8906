/**
 * A SIP message as data (RFC 3261 §7). Header names keep their spelling; look-ups ignore case and know the compact
 * forms. Values are unfolded and trimmed. Several values on one line stay one header; the typed parsers split them.
 */
export interface SipHeader {
  readonly name: string;
  readonly value: string;
}

export interface SipRequest {
  readonly kind: 'request';
  readonly method: string;
  /** The Request-URI, verbatim. */
  readonly uri: string;
  readonly headers: readonly SipHeader[];
  readonly body: Uint8Array;
}

export interface SipResponse {
  readonly kind: 'response';
  /** 100–699. */
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly SipHeader[];
  readonly body: Uint8Array;
}

export type SipMessage = SipRequest | SipResponse;
