import { parseUri } from '../grammar/uri.ts';
import { BRANCH_COOKIE } from '../grammar/via.ts';
import type { TransportName } from '../transport/hop.ts';

/** How the server names itself in Via and Contact. */
export class Identity {
  readonly #host: string;
  readonly #port: number;
  readonly #tlsPort: number;

  /**
   * @param host an address or name that peers reach us at.
   * @param tlsPort null: nobody can call in by TLS, and a TLS peer has its connection alone to reach us.
   */
  constructor(host: string, port: number, tlsPort: number | null) {
    this.#host = host.includes(':') ? `[${host}]` : host;
    this.#port = port;
    this.#tlsPort = tlsPort ?? port;
  }

  /** `rport` asks for the answer at the port that we send from (RFC 3581). */
  via(transport: TransportName, branchId: string): string {
    return `SIP/2.0/${transport.toUpperCase()} ${this.#hostPort(transport)};branch=${BRANCH_COOKIE}${branchId};rport`;
  }

  contact(transport: TransportName, user: string | null): string {
    const parameter = transport === 'udp' ? '' : `;transport=${transport}`;
    return `<sip:${user === null ? '' : `${user}@`}${this.#hostPort(transport)}${parameter}>`;
  }

  /** The From of a request that the application gave none. */
  get address(): string {
    return `<sip:${this.#hostPort('udp')}>`;
  }

  #hostPort(transport: TransportName): string {
    return `${this.#host}:${transport === 'tls' ? this.#tlsPort : this.#port}`;
  }
}

/** The user part of a URI; null without one. */
export function userOf(uriText: string): string | null {
  const uri = parseUri(uriText);
  return uri === null || uri.scheme === 'tel' ? null : uri.user;
}
