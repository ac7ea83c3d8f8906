/** The transports that this server speaks. */
export type SipTransport = 'udp' | 'tcp' | 'tls';

export function isSipTransport(text: string): text is SipTransport {
  return text === 'udp' || text === 'tcp' || text === 'tls';
}

/** A place on the network that a message can be sent to; the address is a literal, without brackets. */
export interface Hop {
  readonly transport: SipTransport;
  readonly address: string;
  readonly port: number;
  /** The name that led here, for a TLS peer to prove; left out: the address itself, or whoever is connected. */
  readonly name?: string;
}

/** Where hops are tried in order, each has the transport that the message's Via names. */
export type Hops = readonly [Hop, ...Hop[]];

/** null: none is left. */
export function nextHops([, next, ...others]: Hops): Hops | null {
  return next === undefined ? null : [next, ...others];
}

/** Whether the transport delivers or says that it could not (RFC 3261 §17: no retransmissions). */
export function isReliable(transport: SipTransport): boolean {
  return transport !== 'udp';
}

export interface SipAddress {
  readonly transport: SipTransport;
  readonly host: string;
  readonly port: number;
}
