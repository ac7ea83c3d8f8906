import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { administrate } from '../../postgres/server.ts';
import { hasPostgres, temporaryPostgresUrl } from '../../postgres/temporary-postgres.ts';
import { Registrar } from '../../sip-endpoint/registrar.ts';
import { eventually } from '../rig/eventually.ts';
import { type ServiceProcess, startServiceProcess } from '../rig/service-process.ts';

const contactOf = ({ sipPort }: ServiceProcess) => `sip:alice@127.0.0.1:${sipPort}`;

describe.skipIf(!hasPostgres())('a node that takes over the registrations of a killed one', () => {
  it('removes its contact at the registrar, so that no call goes there', async () => {
    const url = await temporaryPostgresUrl();
    const registrar = await Registrar.open();
    onTestFinished(() => registrar.close());
    const environment = { DATABASE_URL: url, TRUNKLINE_MASTER_KEY: 'ab'.repeat(32) };
    const leader = await startServiceProcess({ ...environment, RTP_PORTS: '19500-19599' });
    onTestFinished(() => leader.kill());
    await leader.api.requestOk(z.unknown(), 'POST', '/v1/sip-trunks', {
      name: 'Carrier',
      termination_uri: `127.0.0.1:${registrar.peer.hop.port}`,
      username: 'alice',
      password: 'secret-secret',
      register: true,
    });
    await eventually(() => expect(registrar.contacts('alice')).toEqual([contactOf(leader)]));
    const stored = () => administrate(url, 'SELECT contact FROM trunk_contacts');
    await eventually(async () => expect(await stored()).toEqual([{ contact: contactOf(leader) }]));
    const next = await startServiceProcess({ ...environment, RTP_PORTS: '19600-19699' });
    onTestFinished(() => next.kill());

    const nodeId = (await readFile(join(leader.dataDir, 'node.id'), 'utf8')).trim();
    await leader.kill();
    expect(registrar.contacts('alice'), 'it is dead').toEqual([contactOf(leader)]);
    // Ends the lease of the killed node at once.
    for (const table of ['nodes WHERE id', 'node_duties WHERE node_id']) {
      await administrate(url, `DELETE FROM ${table} = '${nodeId}'`);
    }
    await eventually(() => expect(registrar.contacts('alice')).toEqual([contactOf(next)]));
    await eventually(async () => expect(await stored()).toEqual([{ contact: contactOf(next) }]));
    expect(await next.stop()).toBe(0);
    expect(registrar.contacts('alice')).toEqual([]);
    expect(await stored()).toEqual([]);
  });
});
