import type { SipTransport } from './transport-address.ts';

/** One message on the wire, as it was sent or received. */
export interface TraceEntry {
  readonly direction: 'sent' | 'received';
  /** Wall-clock time in ms since 1970. */
  readonly at: number;
  readonly transport: SipTransport;
  /** `address:port` of the peer. */
  readonly remote: string;
  readonly bytes: Uint8Array;
}
