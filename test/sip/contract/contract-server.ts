import { EMBEDDED } from './embedded.ts';
import { foreign } from './foreign.ts';
import { foreignAddresses } from './foreign-addresses.ts';
import type { ContractServer, ServerUnderContract } from './server-under-contract.ts';

const elsewhere = foreignAddresses(process.env);

/** The embedded server always; drachtio-server where `DRACHTIO_URL` names one. */
export const SERVERS: readonly ServerUnderContract[] = [EMBEDDED, ...(elsewhere === null ? [] : [foreign(elsewhere)])];

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
