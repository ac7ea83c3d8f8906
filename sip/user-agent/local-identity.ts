import { parseUri } from '../message/uri.ts';
import { BRANCH_COOKIE } from '../message/via.ts';
import type { OwnAddress } from '../transport/own-address.ts';
import type { Hop } from '../transport/transport-address.ts';

/** The peer that Via and Contact are for. */
export type PeerAddress = Pick<Hop, 'transport' | 'address'>;

/** Our Via and Contact. */
export class LocalIdentity {
  readonly #own: Pick<OwnAddress, 'primary' | 'forPeer'>;
  readonly #port: number;
  readonly #tlsPort: number;

  /**
   * @param own our addresses as peers see them.
   * @param tlsPort null without inbound TLS: a TLS peer reaches us only over its connection.
   */
  constructor(own: Pick<OwnAddress, 'primary' | 'forPeer'>, port: number, tlsPort: number | null) {
    this.#own = own;
    this.#port = port;
    this.#tlsPort = tlsPort ?? port;
  }

  /** `rport` requests the response at the source port (RFC 3581). */
  via(peer: PeerAddress, branchId: string): string {
    return `SIP/2.0/${peer.transport.toUpperCase()} ${this.#hostPort(peer)};branch=${BRANCH_COOKIE}${branchId};rport`;
  }

  contact(peer: PeerAddress, user: string | null): string {
    const { transport } = peer;
    const parameter = transport === 'udp' ? '' : `;transport=${transport}`;
    return `<sip:${user === null ? '' : `${user}@`}${this.#hostPort(peer)}${parameter}>`;
  }

  /** The From of a request if the application sets none. */
  get address(): string {
    return `<sip:${bracketed(this.#own.primary)}:${this.#port}>`;
  }

  #hostPort({ address, transport }: PeerAddress): string {
    return `${bracketed(this.#own.forPeer(address))}:${transport === 'tls' ? this.#tlsPort : this.#port}`;
  }
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** The user part of a URI; null without one. */
export function userOf(uriText: string): string | null {
  const uri = parseUri(uriText);
  return uri === null || uri.scheme === 'tel' ? null : uri.user;
}
