import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { NO_TLS } from '../../../sip/transport/tls-stream.ts';
import { checkTrunks } from '../../../src/doctor/trunks.ts';
import { DEFAULT_ORGANIZATION_ID } from '../../../src/storage/access/organization-repository.ts';
import { createRepositories } from '../../../src/storage/repositories.ts';
import { TlsFiles } from '../../sip/server/tls-files.ts';
import { borrowDatabase } from '../storage/database-pool.ts';
import { trunkRecord } from '../telephony/trunks/trunk-record.ts';

it('asks no further trunk once the time is up, and reports it', async () => {
  const { database, giveBack } = await borrowDatabase('sqlite');
  onTestFinished(giveBack);
  const { organizations, sipTrunks } = createRepositories(database);
  await organizations.ensureDefault(0);
  await sipTrunks.create(trunkRecord({ id: 'carrier', organizationId: DEFAULT_ORGANIZATION_ID }));
  expect(await checkTrunks(database, NO_TLS, AbortSignal.abort())).toEqual([
    {
      verdict: 'warning',
      subject: 'trunks',
      text: 'out of time: 1 of 1 trunks were not asked',
      remedy: 'run trunkline doctor, which has no time limit',
    },
  ]);
});

it.skipIf(!TlsFiles.available)('asks a trunk over TLS by TLS, and checks its certificate', async () => {
  const files = new TlsFiles();
  onTestFinished(() => files.remove());
  const { certificatePath, keyPath } = files.certificate('carrier', ['IP:127.0.0.1']);
  const peer = createServer({ cert: readFileSync(certificatePath), key: readFileSync(keyPath) }, (socket) => {
    socket.on('error', () => {});
    socket.on('data', () => socket.write('SIP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n'));
  }).listen(0, '127.0.0.1');
  await once(peer, 'listening');
  onTestFinished(() => void peer.close());
  const address = peer.address();
  const terminationUri = `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const { database, giveBack } = await borrowDatabase('sqlite');
  onTestFinished(giveBack);
  const { organizations, sipTrunks } = createRepositories(database);
  await organizations.ensureDefault(0);
  const trunk = { id: 'carrier', organizationId: DEFAULT_ORGANIZATION_ID, terminationUri, transport: 'tls' as const };
  await sipTrunks.create(trunkRecord(trunk));
  const trusting = { ...NO_TLS, authorityPath: files.authorityPath };
  expect(await checkTrunks(database, trusting)).toMatchObject([
    { verdict: 'ok', text: `tls ${terminationUri} responds to OPTIONS: 200 OK` },
  ]);
  expect(await checkTrunks(database, NO_TLS)).toMatchObject([
    { verdict: 'fault', text: expect.stringContaining(`tls ${terminationUri} is unreachable`) },
  ]);
});
