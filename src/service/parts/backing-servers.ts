import { isIP } from 'node:net';
import type { OwnListener } from '../../../base/network/address-policy.ts';
import { AddressSet } from '../../../base/network/address-set.ts';
import type { Configuration } from '../../configuration/configuration.ts';

const POSTGRES_PORT = 5432;
const LOOPBACK = new AddressSet(['127.0.0.0/8', '::1']);
/** Stands for every address of this machine: a server on loopback often listens on the others too. */
const THIS_MACHINE = '0.0.0.0';

/**
 * The database and the drachtio-server, as far as they are on this machine or named by an IP address: no URL and no trunk of a
 * user reaches them. Names are not looked up, since they can move to another address at any time.
 */
export function backingServers({
  databaseUrl,
  sip: { server },
}: {
  readonly databaseUrl: string | null;
  readonly sip: Pick<Configuration['sip'], 'server'>;
}): readonly OwnListener[] {
  return [...databaseServer(databaseUrl), ...(server === null ? [] : listenerAt(server.host, server.port))];
}

function databaseServer(databaseUrl: string | null): readonly OwnListener[] {
  if (databaseUrl === null) return [];
  const { hostname, port } = new URL(databaseUrl);
  return listenerAt(hostname, port === '' ? POSTGRES_PORT : Number(port));
}

/** An empty host is a Unix socket: the server may listen on its TCP port too. */
function listenerAt(host: string, port: number): readonly OwnListener[] {
  const address = host.replace(/^\[|\]$/g, '');
  if (address === '' || address === 'localhost' || LOOPBACK.has(address)) return [{ address: THIS_MACHINE, port }];
  return isIP(address) === 0 ? [] : [{ address, port }];
}
