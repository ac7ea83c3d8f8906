import { drachtioAddresses } from './drachtio-addresses.ts';
import { drachtioServer } from './drachtio-server.ts';
import { EMBEDDED } from './embedded.ts';
import type { ContractServer, ServerUnderContract } from './server-under-contract.ts';

const addresses = drachtioAddresses(process.env);

/** The embedded server always; drachtio-server where `DRACHTIO_URL` names one. */
export const SERVERS: readonly ServerUnderContract[] = [
  EMBEDDED,
  ...(addresses === null ? [] : [drachtioServer(addresses)]),
];

/** `Srf.request` as the library implements it; its published types are wrong. */
interface RequestSender {
  request(uri: string, options: { readonly method: string }, sent: (error: Error | null) => void): void;
}

function canSendRequests(srf: object): srf is RequestSender {
  return 'request' in srf;
}

/**
 * Resolves once the server has registered the handlers that were set on `srf`. The server runs the commands of a connection in
 * order, so the reply to a later command proves it: an OPTIONS to itself, which a drachtio-server refuses.
 */
export function handlersRegistered({ srf, sip }: Pick<ContractServer, 'srf' | 'sip'>): Promise<void> {
  const sender: object = srf;
  return new Promise((resolve) => {
    if (!canSendRequests(sender)) throw new Error('drachtio-srf sends no requests');
    sender.request(`sip:${sip.host}:${sip.port}`, { method: 'OPTIONS' }, () => resolve());
  });
}
