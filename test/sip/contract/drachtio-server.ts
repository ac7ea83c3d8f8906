import { TlsFiles } from '../server/tls-files.ts';
import { connectSrf } from './connect-srf.ts';
import type { DrachtioAddresses } from './drachtio-addresses.ts';
import type { ContractServer, ServerUnderContract } from './server-under-contract.ts';

/** A drachtio-server that already runs. Only the connection is opened and closed. */
export function drachtioServer({ control, sip, tls, pair }: DrachtioAddresses): ServerUnderContract {
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
    isEmbedded: false,
    startForCalls: async () => ({ ...control, statistics: async () => null, close: async () => undefined }),
    settings: { SIP_SERVER: `${control.host}:${control.port}`, SIP_SECRET: control.secret },
  };
}
