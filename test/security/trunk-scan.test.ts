import { createServer, type Server } from 'node:net';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { SILENT_HOP_MS } from '../../sip/transaction/timer-values.ts';
import { FINAL_STATUSES } from '../service/rig/api-client.ts';
import { eventually } from '../service/rig/eventually.ts';
import { startInThread } from '../sip/contract/in-thread.ts';
import { describeAttacks } from './attacked-service.ts';

const reachability = z.looseObject({
  reachability: z.object({ reachable: z.boolean(), error: z.string().nullable() }).loose().nullable(),
});

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
  return address.port;
}

/** A TCP listener that counts its connections. */
async function listenOnLoopback() {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  return { port: await portOf(server), connections: () => connections, close: () => void server.close() };
}

describeAttacks('a trunk that scans internal addresses', { SIP_TRUNK_NETWORKS: 'none' }, (service) => {
  it('is refused by the API for an address literal', async () => {
    const fields = { name: 'Scan', termination_uri: '10.0.0.5:22', transport: 'tcp', options_interval: 10 };
    expect((await service().test.api.send('POST', '/v1/sip-trunks', fields)).status).toBe(422);
  });

  it('reaches no internal listener by a name', async () => {
    const listener = await listenOnLoopback();
    const { addTrunk, removeTrunk, test } = service();
    const id = await addTrunk({
      name: 'Scan',
      termination_uri: `localhost:${listener.port}`,
      transport: 'tcp',
      options_interval: 10,
    });
    const path = `/v1/sip-trunks/${id}`;
    await eventually(async () => {
      const trunk = await test.api.requestOk(reachability, 'GET', path);
      expect(trunk.reachability).toMatchObject({ reachable: false });
    });
    expect(listener.connections()).toBe(0);
    await removeTrunk(id);
    listener.close();
  });
});

describeAttacks('a trunk with default settings', {}, (service) => {
  it('sees no difference between a closed port, one that hangs up and one that stays silent', async () => {
    const { addTrunk, removeTrunk, test } = service();
    const silent = createServer();
    onTestFinished(() => void silent.close());
    const [open, closed, hidden] = await Promise.all([
      portOf(silent),
      listenOnLoopback().then(({ close, port }) => {
        close();
        return port;
      }),
      listenOnLoopback(),
    ]);
    onTestFinished(hidden.close);
    const targets = [`127.0.0.1:${open}`, `127.0.0.1:${closed}`, `localhost:${closed}`, `localhost:${hidden.port}`];
    const ids = await Promise.all(
      targets.map((termination_uri) =>
        addTrunk({ name: 'Scan', termination_uri, transport: 'tcp', options_interval: 10 }),
      ),
    );
    const seen = () =>
      Promise.all(
        ids.map((id) => test.api.requestOk(reachability, 'GET', `/v1/sip-trunks/${id}`).then((t) => t.reachability)),
      );
    const unreached = { reachable: false, status: null, round_trip_ms: null, error: 'no answer' };
    await eventually(async () => {
      const states = await seen();
      for (const state of states) if (state !== null) expect(state).toMatchObject(unreached);
      expect(states).not.toContain(null);
    });
    await Promise.all(ids.map(removeTrunk));
  });

  it('gives calls the same end for a closed port, one that hangs up and one that stays silent', async () => {
    const { addTrunk, agentId, removeTrunk, test } = service();
    const silent = createServer();
    onTestFinished(() => void silent.close());
    const closing = await listenOnLoopback();
    closing.close();
    const hidden = await listenOnLoopback();
    onTestFinished(hidden.close);
    const targets = [
      { port: await portOf(silent), transport: 'tcp' },
      { port: closing.port, transport: 'tcp' },
      { port: closing.port, transport: 'tls' },
      { port: hidden.port, transport: 'tcp' },
    ];
    const ends = await Promise.all(
      targets.map(async ({ port, transport }, index) => {
        const id = await addTrunk({ name: 'Scan', termination_uri: `127.0.0.1:${port}`, transport });
        const from = `+3311111111${index}`;
        await test.api.requestOk(z.unknown(), 'POST', '/v1/phone-numbers', {
          number: from,
          name: 'Scan',
          trunk_id: id,
        });
        const order = { from_number: from, to_number: '+33123456789', agent_id: agentId };
        const { call_id } = await test.api.requestOk(
          z.object({ call_id: z.string() }),
          'POST',
          '/v1/calls/phone',
          order,
        );
        const call = await test.api.callIn(call_id, FINAL_STATUSES);
        const { end_detail } = z.object({ end_detail: z.string() }).parse(call.metrics);
        await test.api.send('DELETE', `/v1/phone-numbers/${encodeURIComponent(from)}`);
        await removeTrunk(id);
        return { end_reason: call.end_reason, detail: end_detail.replace(`${transport} 127.0.0.1:${port}`, 'TARGET') };
      }),
    );
    const silence = `SIP 503 No Response: no response within ${SILENT_HOP_MS / 1_000} s: TARGET`;
    expect(ends).toEqual(targets.map(() => ({ end_reason: 'sip_error', detail: silence })));
  });
});

describeAttacks('a trunk at a listener of the service', {}, (service) => {
  it('is refused by the API for an address literal', async () => {
    const { test } = service();
    for (const port of [new URL(test.service.httpUrl).port, test.sipPort]) {
      const fields = { name: 'Own', termination_uri: `127.0.0.1:${port}`, transport: 'tcp', options_interval: 10 };
      expect((await test.api.send('POST', '/v1/sip-trunks', fields)).status).toBe(422);
    }
  });

  it('is pinged by name at neither the HTTP port nor the SIP port', async () => {
    const { addTrunk, removeTrunk, test } = service();
    const httpPort = new URL(test.service.httpUrl).port;
    const targets = ['localhost', '0', '127.1'].flatMap((host) => [`${host}:${httpPort}`, `${host}:${test.sipPort}`]);
    for (const termination_uri of targets) {
      const id = await addTrunk({
        name: 'Own',
        termination_uri,
        transport: 'tcp',
        options_interval: 10,
      });
      await eventually(async () => {
        const trunk = await test.api.requestOk(reachability, 'GET', `/v1/sip-trunks/${id}`);
        expect(trunk.reachability?.error).toContain('no request may go to');
      });
      await removeTrunk(id);
    }
  });
});

/** An external drachtio-server, in a thread: it sends each request to the hop in the command. */
const drachtio = await startInThread({ port: 0, pair: null });
afterAll(() => drachtio?.close());
const beside = { SIP_SERVER: `127.0.0.1:${drachtio.port}`, SIP_SECRET: drachtio.secret };

describeAttacks('a trunk at a listener of the service, beside a drachtio-server', beside, (service) => {
  it('is refused by the API for an address literal', async () => {
    const fields = { name: 'Own', termination_uri: `127.0.0.1:${drachtio.port}`, transport: 'tcp' };
    expect((await service().test.api.send('POST', '/v1/sip-trunks', fields)).status).toBe(422);
  });

  it('is pinged by name neither at the HTTP port nor at the admin port', async () => {
    const { addTrunk, removeTrunk, test } = service();
    const ports = [new URL(test.service.httpUrl).port, drachtio.port];
    for (const termination_uri of ports.flatMap((port) => ['localhost', '127.1'].map((host) => `${host}:${port}`))) {
      const id = await addTrunk({ name: 'Own', termination_uri, transport: 'tcp', options_interval: 10 });
      await eventually(async () => {
        const trunk = await test.api.requestOk(reachability, 'GET', `/v1/sip-trunks/${id}`);
        expect(trunk.reachability?.error).toContain('no request may go to');
      });
      await removeTrunk(id);
    }
  });

  it('is pinged at no address literal that was stored before the rule', async () => {
    const { addTrunk, removeTrunk, test } = service();
    const { sipTrunks } = test.service.repositories;
    const id = await addTrunk({ name: 'Old', termination_uri: '192.0.2.1', transport: 'tcp', options_interval: 10 });
    const [stored] = (await sipTrunks.pinged()).filter((trunk) => trunk.id === id);
    if (stored === undefined) throw new Error('the trunk is not pinged');
    await sipTrunks.replace(stored, { ...stored, terminationUri: `127.0.0.1:${new URL(test.service.httpUrl).port}` });
    await addTrunk({ name: 'Other', termination_uri: '192.0.2.2' }).then(removeTrunk);
    await eventually(async () => {
      const trunk = await test.api.requestOk(reachability, 'GET', `/v1/sip-trunks/${id}`);
      expect(trunk.reachability?.error).toBe('no request may go to the host 127.0.0.1');
    });
    await removeTrunk(id);
  });
});
