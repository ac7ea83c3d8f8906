/** The port of a URI or Via without a port (RFC 3261 §18.2.1). */
export const DEFAULT_SIP_PORT = 5060;
/** The default port of `sips:` and of TLS. */
export const DEFAULT_SIPS_PORT = 5061;

/** The transports that this server supports. */
export type SipTransport = 'udp' | 'tcp' | 'tls';

export function isSipTransport(text: string): text is SipTransport {
  return text === 'udp' || text === 'tcp' || text === 'tls';
}

/** A destination or source of messages. The address is an IP literal without brackets. */
export interface Hop {
  readonly transport: SipTransport;
  readonly address: string;
  readonly port: number;
  /**
   * The name that resolved to this address, which a TLS peer must prove. Absent: it must prove the address, or a
   * connection exists.
   */
  readonly name?: string;
}

/** The source of a received message, and the local address that received it. */
export interface Origin extends Hop {
  readonly localAddress: string;
  readonly localPort: number;
}

/** Hops in the order of the attempts. Each has the transport that the message's Via names. */
export type Hops = readonly [Hop, ...Hop[]];

/** The hops after the first; null without any. */
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

/** A hop for people: `tcp 192.0.2.1:5060`. */
export function hopText({ transport, address, port }: Hop): string {
  return `${transport} ${address.includes(':') ? `[${address}]` : address}:${port}`;
}
