import type Srf from 'drachtio-srf';
import type { ServerStatistics } from '../../../sip/server/server-statistics.ts';
import type { TlsFiles } from '../server/tls-files.ts';
import type { CallServer } from '../signalling/call-setup.ts';

/** A server that the contract applies to, and an unmodified `drachtio-srf` that is connected to it. */
export interface ContractServer {
  readonly srf: Srf;
  /** The SIP address for peers. */
  readonly sip: { readonly host: string; readonly port: number };
  readonly control: { readonly host: string; readonly port: number; readonly secret: string };
  /** null if the server does not report them. */
  statistics(): Promise<ServerStatistics | null>;
  close(): Promise<void>;
}

export interface SecureServer extends ContractServer {
  /** The TLS address for peers, and the authority that signed the server's certificate and that the server trusts. */
  readonly tls: { readonly host: string; readonly port: number; readonly files: TlsFiles };
}

/** A DNS name with SRV records for two UDP ports of 127.0.0.1. The first port has priority. */
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
  /** A string: the reason to skip its tests. */
  readonly startSecure: (() => Promise<SecureServer>) | string;
  readonly startNaming: (() => Promise<NamingServer>) | string;
  /**
   * Whether the server is ours. Some tests run only on our server, which promises more. The dialogs of the other server
   * outlive the control connection.
   */
  readonly isEmbedded: boolean;
  /** Starts a server for `sip/signalling`. */
  readonly startForCalls: () => Promise<CallServer>;
  /** Environment variables that make the service use this server. */
  readonly settings: Readonly<Record<string, string>>;
}
