import type Srf from 'drachtio-srf';
import type { ServerStatistics } from '../../../sip/server/server-statistics.ts';
import type { TlsFiles } from '../server/tls-files.ts';
import type { CallServer } from '../signalling/call-setup.ts';

/** A server under contract, and an unmodified `drachtio-srf` that is connected to it. */
export interface ContractServer {
  readonly srf: Srf;
  /** Where peers send SIP. */
  readonly sip: { readonly host: string; readonly port: number };
  readonly control: { readonly host: string; readonly port: number; readonly secret: string };
  /** null where the server does not tell. */
  statistics(): Promise<ServerStatistics | null>;
  close(): Promise<void>;
}

export interface SecureServer extends ContractServer {
  /** Where peers send SIP by TLS, and the authority that the server's certificate is of, and that the server trusts. */
  readonly tls: { readonly host: string; readonly port: number; readonly files: TlsFiles };
}

/** A name whose SRV records for UDP lead to two ports of 127.0.0.1, the first before the second. */
export interface NamedPair {
  readonly name: string;
  readonly ports: readonly [number, number];
}

export interface NamingServer extends ContractServer {
  readonly pair: NamedPair;
}

export interface ServerUnderContract {
  readonly name: string;
  readonly start: () => Promise<ContractServer>;
  /** A string: why there is none. */
  readonly startSecure: (() => Promise<SecureServer>) | string;
  readonly startNaming: (() => Promise<NamingServer>) | string;
  /** For our signalling to connect to. */
  readonly startForCalls: () => Promise<CallServer>;
  /** With which our service has its calls by it. */
  readonly settings: Readonly<Record<string, string>>;
}
