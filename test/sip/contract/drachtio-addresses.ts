import type { NamedPair } from './server-under-contract.ts';

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** The addresses of a drachtio-server of another process, from the environment. */
export interface DrachtioAddresses {
  readonly control: HostPort & { readonly secret: string };
  readonly sip: HostPort;
  /** `folder` holds `ca.pem` and `ca.key` of the certificate authority. */
  readonly tls: (HostPort & { readonly folder: string }) | null;
  readonly pair: NamedPair | null;
}

/** null without `DRACHTIO_URL`. Throws for a malformed variable. */
export function drachtioAddresses(environment: NodeJS.ProcessEnv): DrachtioAddresses | null {
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
