import { parseUri } from '../grammar/uri.ts';
import { BRANCH_COOKIE } from '../grammar/via.ts';
import type { TransportName } from '../transport/hop.ts';

/** How the server names itself in Via and Contact. */
export class Identity {
  readonly #hostPort: string;

  /** @param host an address or name that peers reach us at. */
  constructor(host: string, port: number) {
    this.#hostPort = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  }

  /** `rport` asks for the answer at the port that we send from (RFC 3581). */
  via(transport: TransportName, branchId: string): string {
    return `SIP/2.0/${transport.toUpperCase()} ${this.#hostPort};branch=${BRANCH_COOKIE}${branchId};rport`;
  }

  contact(transport: TransportName, user: string | null): string {
    const parameter = transport === 'udp' ? '' : `;transport=${transport}`;
    return `<sip:${user === null ? '' : `${user}@`}${this.#hostPort}${parameter}>`;
  }

  /** The From of a request that the application gave none. */
  get address(): string {
    return `<sip:${this.#hostPort}>`;
  }
}

/** The user part of a URI; null without one. */
export function userOf(uriText: string): string | null {
  const uri = parseUri(uriText);
  return uri === null || uri.scheme === 'tel' ? null : uri.user;
}
