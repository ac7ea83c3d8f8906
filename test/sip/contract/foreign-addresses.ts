import type { NamedPair } from './server-under-contract.ts';

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** Where a server of another process is, as the environment has it. */
export interface ForeignAddresses {
  readonly control: HostPort & { readonly secret: string };
  readonly sip: HostPort;
  /** `folder`: `ca.pem` and `ca.key` of the authority. */
  readonly tls: (HostPort & { readonly folder: string }) | null;
  readonly pair: NamedPair | null;
}

/** null where `DRACHTIO_URL` names none. Throws for what cannot be read. */
export function foreignAddresses(environment: NodeJS.ProcessEnv): ForeignAddresses | null {
  const { DRACHTIO_URL, DRACHTIO_SECRET, DRACHTIO_SIP, DRACHTIO_TLS, DRACHTIO_TLS_FOLDER, DRACHTIO_PAIR } = environment;
  if (DRACHTIO_URL === undefined) return null;
  return {
    control: { ...hostPort(DRACHTIO_URL), secret: DRACHTIO_SECRET ?? 'cymru' },
    sip: hostPort(DRACHTIO_SIP ?? '127.0.0.1:5060'),
    tls:
      DRACHTIO_TLS === undefined || DRACHTIO_TLS_FOLDER === undefined
        ? null
        : { ...hostPort(DRACHTIO_TLS), folder: DRACHTIO_TLS_FOLDER },
    pair: DRACHTIO_PAIR === undefined ? null : namedPair(DRACHTIO_PAIR),
  };
}

function hostPort(text: string): HostPort {
  const [, host, port] = /^([^:]+):(\d+)$/.exec(text) ?? [];
  if (host === undefined) throw new Error(`not host:port: ${text}`);
  return { host, port: Number(port) };
}

function namedPair(text: string): NamedPair {
  const [, name, first, second] = /^([^:]+):(\d+),(\d+)$/.exec(text) ?? [];
  if (name === undefined) throw new Error(`not name:port,port: ${text}`);
  return { name, ports: [Number(first), Number(second)] };
}
