import {
  type EmbeddedServer,
  type EmbeddedServerOptions,
  startEmbeddedServer,
} from '../../../sip/server/embedded-server.ts';
import { freeSipPort } from '../../peers/sip-port.ts';
import { TlsFiles } from '../server/tls-files.ts';
import { connectSrf } from './connect-srf.ts';
import { startInThread } from './in-thread.ts';
import type { ContractServer, NamingServer, SecureServer, ServerUnderContract } from './server-under-contract.ts';

/** The embedded server in a worker, as the service starts it. `startNaming` runs it in this thread, with its own DNS. */
export const EMBEDDED: ServerUnderContract = {
  name: 'embedded server',
  start,
  startSecure,
  startNaming,
  isEmbedded: true,
  startForCalls: serve,
  settings: {},
};

function serve(more: Partial<EmbeddedServerOptions> = {}): Promise<EmbeddedServer> {
  return startEmbeddedServer({ bindAddress: '127.0.0.1', port: 0, ...more });
}

async function start(): Promise<ContractServer> {
  return connected(await serve());
}

async function startSecure(): Promise<SecureServer> {
  const files = new TlsFiles();
  const certificate = { ...files.certificate('server', ['IP:127.0.0.1']), port: 0 };
  const server = await serve({ tls: { certificate, authorityPath: files.authorityPath, verify: true } });
  const address = server.addresses.find(({ transport }) => transport === 'tls');
  if (address === undefined) throw new Error('the server has no TLS address');
  const contract = await connected(server);
  return {
    ...contract,
    tls: { host: address.host, port: address.port, files },
    close: async () => {
      await contract.close();
      files.remove();
    },
  };
}

async function startNaming(): Promise<NamingServer> {
  const first = await freeSipPort();
  const pair = { name: 'pair.test', ports: [first, first + 1] } as const;
  const server = await startInThread({ port: 0, pair });
  return { ...(await connected(server)), pair };
}

type Connectable = Pick<EmbeddedServer, 'host' | 'port' | 'secret' | 'addresses' | 'close'> & {
  statistics(): ReturnType<EmbeddedServer['statistics']>;
};

async function connected(server: Connectable): Promise<ContractServer> {
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
