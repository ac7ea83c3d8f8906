import { expect, it } from 'vitest';
import { backingServers } from '../../../src/service/parts/backing-servers.ts';

const EVERY_LOCAL_ADDRESS = '0.0.0.0';

it.each([
  ['postgres://u:p@localhost/t', [{ address: EVERY_LOCAL_ADDRESS, port: 5432 }]],
  ['postgres://u:p@127.0.0.1:6432/t', [{ address: EVERY_LOCAL_ADDRESS, port: 6432 }]],
  ['postgres://u:p@[::1]/t', [{ address: EVERY_LOCAL_ADDRESS, port: 5432 }]],
  ['postgres:///t?host=/run/postgresql', [{ address: EVERY_LOCAL_ADDRESS, port: 5432 }]],
  ['postgres://u:p@10.0.0.9/t', [{ address: '10.0.0.9', port: 5432 }]],
  ['postgres://u:p@database.example/t', []],
])('protects the database of %s as %j', (databaseUrl, listeners) => {
  expect(backingServers({ databaseUrl, sip: { server: null } })).toEqual(listeners);
});

it('protects the control port of a drachtio-server on this machine', () => {
  const server = { host: '127.0.0.1', port: 9022, secret: 'cymru' };
  const protectedServers = backingServers({ databaseUrl: null, sip: { server } });
  expect(protectedServers).toEqual([{ address: EVERY_LOCAL_ADDRESS, port: 9022 }]);
});
