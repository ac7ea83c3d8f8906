import { TlsFiles } from '../server/tls-files.ts';
import { connectSrf } from './connect-srf.ts';
import type { ForeignAddresses } from './foreign-addresses.ts';
import type { ContractServer, ServerUnderContract } from './server-under-contract.ts';

/** A server that runs anyway: nothing is started, and nothing but our connection is closed. */
export function foreign({ control, sip, tls, pair }: ForeignAddresses): ServerUnderContract {
  const start = async (): Promise<ContractServer> => {
    const srf = await connectSrf(control);
    return {
      srf,
      control,
      sip,
      statistics: async () => null,
      close: async () => {
        srf.disconnect();
      },
    };
  };
  return {
    name: 'drachtio-server',
    start,
    startSecure:
      tls === null
        ? 'DRACHTIO_TLS and DRACHTIO_TLS_FOLDER do not name its TLS'
        : async () => ({ ...(await start()), tls: { ...tls, files: new TlsFiles(tls.folder) } }),
    startNaming:
      pair === null
        ? 'DRACHTIO_PAIR does not name a pair that it finds by DNS'
        : async () => ({ ...(await start()), pair }),
    startForCalls: async () => ({ ...control, statistics: async () => null, close: async () => undefined }),
    settings: { SIP_SERVER: `${control.host}:${control.port}`, SIP_SECRET: control.secret },
  };
}
