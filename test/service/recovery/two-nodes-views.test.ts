import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { call } from '../../caller/caller.ts';
import { administrate } from '../../postgres/server.ts';
import {
  hasPostgres,
  type LastingDatabase,
  lastingPostgres,
  temporaryPostgresUrl,
} from '../../postgres/temporary-postgres.ts';
import { Registrar } from '../../sip-endpoint/registrar.ts';
import { type EmulatedProviders, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { TEST_API_KEY } from '../rig/service-process.ts';
import { dialIn, FROM, TO, talker } from '../rig/staged-call.ts';
import { startTestService, type TestService } from '../rig/test-service.ts';

const MASTER_KEY = 'ef'.repeat(32);
const LIMIT = 60;

const trunkSchema = z.looseObject({
  id: z.string(),
  registration: z.looseObject({ status: z.string(), node_id: z.string().nullable() }).nullable(),
  reachability: z
    .looseObject({ reachable: z.boolean(), node_id: z.string(), unreachable_nodes: z.array(z.string()) })
    .nullable(),
});
const runningSchema = z.array(
  z.looseObject({ id: z.string(), activity: z.string().nullable(), state: z.string().nullable() }),
);

async function startNode(environment: Record<string, string>, firstRtpPort: number): Promise<TestService> {
  return startTestService({
    TRUNKLINE_MASTER_KEY: MASTER_KEY,
    RTP_PORTS: `${firstRtpPort}-${firstRtpPort + 99}`,
    ...environment,
  });
}

describe.skipIf(!hasPostgres())('any of two nodes', () => {
  let database: LastingDatabase;
  let providers: EmulatedProviders;
  let registrar: Registrar;
  let one: TestService;
  let two: TestService;

  beforeAll(async () => {
    database = await lastingPostgres();
    providers = await startEmulatedProviders();
    registrar = await Registrar.open();
    const environment = { ...providers.environment, DATABASE_URL: database.url };
    one = await startNode(environment, 32_200);
    two = await startNode(environment, 32_300);
  });
  afterAll(async () => {
    await Promise.all([one?.close(), two?.close()]);
    registrar?.close();
    await providers?.close();
    await database?.drop();
  });

  it('shows what happens in a call of the other, once and as it changes', async () => {
    const { id } = await one.api.createAgent(talker());
    const live = await dialIn(one, id);
    onTestFinished(async () => void (await live.hangUp()));
    const running = () => two.api.requestOk(runningSchema, 'GET', '/v1/calls/running');
    await eventually(async () => {
      const shown = (await running()).find((entry) => entry.id === live.callId);
      expect(shown).toMatchObject({ activity: expect.any(String), state: 'talk' });
    });
    const stream = await fetch(`${two.service.httpUrl}/v1/calls/running/events`, {
      headers: { 'x-api-key': TEST_API_KEY },
    });
    let events = '';
    for await (const chunk of stream.body ?? []) {
      events += Buffer.from(chunk).toString('utf8');
      if (events.includes('"state":"talk"')) break;
    }
    expect(events).toContain(live.callId);
  });

  it('shows the same registration and reachability of a trunk, whichever it was added at', async () => {
    const { id } = await two.api.requestOk(trunkSchema, 'POST', '/v1/sip-trunks', {
      name: 'Carrier',
      termination_uri: `127.0.0.1:${registrar.peer.hop.port}`,
      username: 'alice',
      password: 'secret-secret',
      register: true,
      options_interval: 10,
    });
    const trunkAt = (node: TestService) => node.api.requestOk(trunkSchema, 'GET', `/v1/sip-trunks/${id}`);
    await eventually(async () => {
      const [ofOne, ofTwo] = await Promise.all([trunkAt(one), trunkAt(two)]);
      expect(ofOne.registration?.status).toBe('registered');
      expect(ofOne.reachability).toMatchObject({ reachable: true, unreachable_nodes: [] });
      expect(ofTwo).toEqual(ofOne);
    });
    expect(registrar.contacts('alice'), 'one of them registers').toHaveLength(1);
    const path = '/v1/sip-trunks/reachability';
    const history = z.array(z.looseObject({ intervals: z.array(z.looseObject({ checks: z.number() })) }));
    await eventually(async () => {
      const [ofOne, ofTwo] = await Promise.all([one, two].map(({ api }) => api.requestOk(history, 'GET', path)));
      expect(ofOne?.[0]?.intervals.reduce((sum, { checks }) => sum + checks, 0)).toBeGreaterThanOrEqual(2);
      expect(ofTwo).toEqual(ofOne);
    });
    await one.api.requestOk(z.unknown(), 'DELETE', `/v1/sip-trunks/${id}`);
    await eventually(() => expect(registrar.contacts('alice')).toEqual([]));
  });

  it('lists the INVITEs that the other refused', async () => {
    await one.api.requestOk(z.unknown(), 'POST', '/v1/phone-numbers', { number: TO });
    await call({ target: { host: '127.0.0.1', port: one.sipPort }, to: TO, from: FROM });
    const refused = z.array(z.looseObject({ cause: z.string(), time: z.string() }));
    await eventually(async () => {
      const [ofOne, ofTwo] = await Promise.all(
        [one, two].map(({ api }) => api.requestOk(refused, 'GET', '/v1/sip/refusals')),
      );
      expect(ofOne).toMatchObject([{ cause: 'number_without_agent' }]);
      expect(ofTwo).toEqual(ofOne);
    });
  });

  it('counts the calls per second of a trunk that the other has placed', async () => {
    const trunk = { name: 'Slow', termination_uri: '127.0.0.1:9', max_calls_per_second: 1 };
    const { id } = await one.api.requestOk(trunkSchema, 'POST', '/v1/sip-trunks', trunk);
    await one.api.requestOk(z.unknown(), 'POST', '/v1/phone-numbers', { number: FROM, trunk_id: id });
    const { id: agentId } = await one.api.createAgent(talker());
    const place = async ({ api }: TestService) => {
      const body = { from_number: FROM, to_number: TO, agent_id: agentId };
      return (await api.send('POST', '/v1/calls/phone', body)).status;
    };
    expect(await place(one)).toBe(201);
    // The call begins so late that the second does not end during this test.
    await administrate(database.url, 'UPDATE call_starts SET starts_ms = ARRAY[starts_ms[1] + 600000]');
    expect([await place(one), await place(two)]).toEqual([503, 503]);
    await administrate(database.url, 'UPDATE call_starts SET starts_ms = ARRAY[starts_ms[1] - 700000]');
    expect(await place(two)).toBe(201);
  });

  it('names itself in each response', async () => {
    const answers = await Promise.all(
      [one, two, one].map(({ service }) =>
        fetch(`${service.httpUrl}/v1/agents`, { headers: { 'x-api-key': TEST_API_KEY } }),
      ),
    );
    const [first, second, third] = answers.map(({ headers }) => headers.get('x-node-id'));
    expect(first).toEqual(expect.any(String));
    expect([third, second === first]).toEqual([first, false]);
  });
});

describe.skipIf(!hasPostgres())('two nodes together', () => {
  it('accept as many requests of a key as its limit says', async () => {
    const url = await temporaryPostgresUrl();
    const environment = { DATABASE_URL: url, RATE_LIMIT_PER_HOUR: String(LIMIT) };
    const nodes = await Promise.all([startNode(environment, 32_400), startNode(environment, 32_500)]);
    onTestFinished(() => Promise.all(nodes.map((node) => node.close())).then(() => undefined));
    const windows = () => administrate(url, "SELECT DISTINCT ends_ms FROM request_windows WHERE name LIKE '%hour'");
    const keySchema = z.looseObject({ key: z.string() });
    /** Statuses of more requests than a new key may send, on both nodes at once. */
    const statuses = async () => {
      const body = { name: 'Flood', scopes: ['read'] };
      const { key } = await nodes[0].api.requestOk(keySchema, 'POST', '/v1/api-keys', body);
      const requests = Array.from({ length: LIMIT * 2 }, (_, nth) => {
        const { httpUrl } = nodes[nth % 2 === 0 ? 0 : 1].service;
        return fetch(`${httpUrl}/v1/agents`, { headers: { 'x-api-key': key } });
      });
      return (await Promise.all(requests)).map(({ status }) => status);
    };
    let sent = await statuses();
    // An hour ended between the requests.
    if ((await windows()).length > 1) sent = await statuses();
    expect(sent.filter((status) => status === 200)).toHaveLength(LIMIT);
    expect(sent.filter((status) => status === 429)).toHaveLength(LIMIT);
  });
});
