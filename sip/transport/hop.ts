/** The transports that this server speaks. */
export type SipTransport = 'udp' | 'tcp' | 'tls';

export function isSipTransport(text: string): text is SipTransport {
  return text === 'udp' || text === 'tcp' || text === 'tls';
}

/** A destination for messages; the address is a literal, without brackets. */
export interface Hop {
  readonly transport: SipTransport;
  readonly address: string;
  readonly port: number;
  /**
   * The name that resolved to this address, which a TLS peer must prove; absent: the address itself, or an existing
   * connection.
   */
  readonly name?: string;
}

/** Hops in the order to try them; each has the transport that the message's Via names. */
export type Hops = readonly [Hop, ...Hop[]];

/** null: none is left. */
export function nextHops([, next, ...others]: Hops): Hops | null {
  return next === undefined ? null : [next, ...others];
}

/** Whether the transport reports a failed delivery (RFC 3261 §17: no retransmissions). */
export function isReliable(transport: SipTransport): boolean {
  return transport !== 'udp';
}

export interface SipAddress {
  readonly transport: SipTransport;
  readonly host: string;
  readonly port: number;
}
