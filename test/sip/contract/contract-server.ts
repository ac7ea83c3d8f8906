import Srf from 'drachtio-srf';
import { startEmbeddedServer } from '../../../sip/embedded-server/embedded-server.ts';
import type { ServerStatistics } from '../../../sip/embedded-server/statistics.ts';

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

export interface ServerUnderContract {
  readonly name: string;
  readonly start: () => Promise<ContractServer>;
}

/** The embedded server always; drachtio-server where `DRACHTIO_URL` (`host:port`) names one. */
export const SERVERS: readonly ServerUnderContract[] = [
  { name: 'embedded server', start: startEmbedded },
  ...(process.env.DRACHTIO_URL === undefined ? [] : [{ name: 'drachtio-server', start: startDrachtio }]),
];

export async function connectSrf(control: { host: string; port: number; secret: string }): Promise<Srf> {
  const srf = new Srf();
  srf.on('error', () => undefined);
  await new Promise<void>((resolve, reject) => {
    srf.on('connect', (error: Error | null) => (error ? reject(error) : resolve()));
    // A server that is gone stays gone here: no reconnection outlives a test.
    const options = { ...control, reconnect: { maxAttempts: 1 } };
    void srf.connect(options);
  });
  return srf;
}

async function startEmbedded(): Promise<ContractServer> {
  const server = await startEmbeddedServer({ bindAddress: '127.0.0.1', port: 0 });
  const control = { host: server.host, port: server.port, secret: server.secret };
  const srf = await connectSrf(control);
  const [address] = server.addresses;
  if (address === undefined) throw new Error('the server has no address');
  return {
    srf,
    control,
    sip: { host: address.host, port: address.port },
    statistics: () => server.statistics(),
    close: async () => {
      srf.disconnect();
      await server.close();
    },
  };
}

/** `DRACHTIO_SECRET` and `DRACHTIO_SIP` (`host:port` of its UDP listener) go with it. */
async function startDrachtio(): Promise<ContractServer> {
  const [host = '127.0.0.1', port = '9022'] = (process.env.DRACHTIO_URL ?? '').split(':');
  const [sipHost = '127.0.0.1', sipPort = '5060'] = (process.env.DRACHTIO_SIP ?? '').split(':');
  const control = { host, port: Number(port), secret: process.env.DRACHTIO_SECRET ?? 'cymru' };
  const srf = await connectSrf(control);
  return {
    srf,
    control,
    sip: { host: sipHost, port: Number(sipPort) },
    statistics: () => Promise.resolve(null),
    close: () => {
      srf.disconnect();
      return Promise.resolve();
    },
  };
}

/** What the library really takes; its own types say otherwise. */
interface Requests {
  request(
    uri: string,
    options: { readonly method: string },
    sent: (error: Error | null, request: NodeJS.EventEmitter) => void,
  ): void;
}

function isRequests(srf: object): srf is Requests {
  return 'request' in srf;
}

/**
 * Resolves once the server knows the handlers that were set on `srf` so far: commands of one connection are taken in order,
 * and the answer to a later one (an OPTIONS of the server to itself) shows that the earlier ones were.
 */
export function handlersKnown({ srf, sip }: Pick<ContractServer, 'srf' | 'sip'>): Promise<void> {
  const requests: object = srf;
  return new Promise((resolve, reject) => {
    if (!isRequests(requests)) throw new Error('drachtio-srf sends no requests');
    requests.request(`sip:${sip.host}:${sip.port}`, { method: 'OPTIONS' }, (error, request) => {
      if (error !== null) reject(error);
      else request.on('response', () => resolve());
    });
  });
}
