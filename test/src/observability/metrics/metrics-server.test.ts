import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import type { GaugeReadings } from '../../../../src/observability/metrics/gauges.ts';
import { meteredRepositories } from '../../../../src/observability/metrics/metered-repositories.ts';
import { Metrics } from '../../../../src/observability/metrics/metrics.ts';
import { MetricsReader } from '../../../../src/observability/metrics/metrics-reader.ts';
import { startMetricsServer } from '../../../../src/observability/metrics/metrics-server.ts';
import { createRepositories } from '../../../../src/storage/repositories.ts';
import { newCall, START_MS, storeAgent, temporaryDatabase } from '../../storage/temporary-database.ts';
import { READINGS } from './readings.ts';

async function served(read: () => Promise<GaugeReadings>, metrics = new Metrics()) {
  const log = pino({ level: 'silent' });
  const reader = new MetricsReader(metrics, read);
  onTestFinished(() => reader.close());
  const server = await startMetricsServer({ bind: { host: '127.0.0.1', port: 0 }, reader, log });
  if (server === null) throw new Error('the metrics are not served');
  onTestFinished(() => server.close());
  const ask = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${server.address.port}${path}`, init);
  return { ask, text: async () => (await ask('/metrics')).text() };
}

it('each scrape returns current gauges and totals', async () => {
  let now = READINGS;
  const { text } = await served(async () => now);
  expect(await text()).toContain('\ntrunkline_media_packets_sent_total 20\n');
  expect(await text()).toContain('\ntrunkline_media_workers{sockets="epoll"} 2\n');
  now = { ...READINGS, liveCalls: 1, media: { ...READINGS.media, packetsSent: 50 } };
  const second = await text();
  expect(second).toContain('\ntrunkline_media_packets_sent_total 50\n');
  expect(second).toContain('\ntrunkline_live_calls 1\n');
  expect(second).toContain('\ntrunkline_media_lateness_p99_seconds 0.0025\n');
  expect(second).toContain('\ntrunkline_overload_phase 1\n');
  expect(second).toContain('\ntrunkline_load_ratio{limit="event_loop"} 0.8\n');
  expect(second).toContain('\ntrunkline_calls{status="ringing"} 2\n');
  expect(second).toContain('\ntrunkline_webhook_pending 7\n');
  expect(second).toContain('\ntrunkline_disk_free_bytes 300\n');
  expect(second).toContain('\ntrunkline_disk_low_water_bytes 200\n');
  expect(second).toContain('\ntrunkline_trunk_reachable{trunk="near"} 1\n');
  expect(second).toContain('\ntrunkline_trunk_reachable{trunk="away"} 0\n');
  expect(second).toContain('\ntrunkline_trunk_round_trip_seconds{trunk="near"} 0.012\n');
  expect(second).not.toContain('trunkline_trunk_round_trip_seconds{trunk="away"}');
  expect(second).toContain('\ntrunkline_provider_circuit_open{provider="openai",part="language_model"} 1\n');
  expect(second).toContain('\ntrunkline_provider_circuit_open{provider="deepgram",part="voice"} 0\n');
  expect(second).toContain('\ntrunkline_trunk_registered{trunk="in"} 1\n');
  expect(second).toContain('\ntrunkline_trunk_registered{trunk="out"} 0\n');
  now = { ...READINGS, trunks: new Map() };
  expect(await text(), 'a trunk that is pinged no more').not.toContain('trunkline_trunk_reachable{');
});

it('database metrics are omitted while the database is unavailable', async () => {
  let now = READINGS;
  const { text } = await served(async () => now);
  await text();
  now = { ...READINGS, openWork: null };
  const without = await text();
  expect(without).toContain('\ntrunkline_database_up 0\n');
  expect(without).not.toMatch(/^trunkline_(calls\{|webhook_pending )/m);
  expect(without).toContain('\ntrunkline_live_calls 3\n');
  now = READINGS;
  expect(await text()).toContain('\ntrunkline_webhook_pending 7\n');
});

it('only GET /metrics is served', async () => {
  const { ask } = await served(async () => READINGS);
  expect((await ask('/')).status).toBe(404);
  expect((await ask('/metrics/../etc')).status).toBe(404);
  expect((await ask('/metrics', { method: 'POST', body: 'x' })).status).toBe(405);
  expect((await ask('/metrics?x=1')).status).toBe(200);
});

it('an ended call is counted once after it is stored, and a lost race is not counted', async () => {
  const database = await temporaryDatabase();
  const metrics = new Metrics();
  const { calls } = meteredRepositories(createRepositories(database), metrics);
  const agentId = await storeAgent(database);
  const outbound = newCall(agentId, { direction: 'outbound', status: 'created' });
  const staged = newCall(agentId);
  await calls.createCall(outbound);
  await calls.createCall(staged);
  await expect(calls.createCall(staged)).rejects.toThrow();
  const patch = { stagingDeadlineMs: START_MS + 60_000 };
  await calls.setStatus(staged.id, { from: ['initiated'], to: 'staged', atMs: START_MS, patch });
  const busy = { status: 'busy', endReason: 'busy', atMs: START_MS, patch: { cost: 0.25 } } as const;
  expect(await calls.finish(outbound.id, busy)).toBe(true);
  expect(await calls.finish(outbound.id, busy)).toBe(false);
  expect(await calls.expireStaged(START_MS + 60_000)).toEqual([staged.id]);
  const text = await metrics.registry.metrics();
  expect(text).toContain('\ntrunkline_call_cost_total 0.25\n');
  const counted = text.split('\n').filter((line) => /^trunkline_calls_/.test(line));
  expect(counted.sort()).toEqual([
    'trunkline_calls_created_total{direction="inbound"} 1',
    'trunkline_calls_created_total{direction="outbound"} 1',
    'trunkline_calls_ended_total{direction="inbound",status="no_answer",end_reason="staging_timeout"} 1',
    'trunkline_calls_ended_total{direction="outbound",status="busy",end_reason="busy"} 1',
  ]);
});

it('a taken address is reported in one line with its remedy, and the service runs without metrics', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const lines: string[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(line) });
  const bind = { host: '127.0.0.1', port };
  const reader = new MetricsReader(new Metrics(), async () => READINGS);
  onTestFinished(() => reader.close());
  expect(await startMetricsServer({ bind, reader, log })).toBeNull();
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      level: 50,
      bind: `127.0.0.1:${port}`,
      reason: `listen EADDRINUSE: address already in use 127.0.0.1:${port}`,
      remedy: 'set METRICS_BIND to another address, or to off',
      msg: 'METRICS_BIND bind failed',
    },
  ]);
});

it('a scrape returns the values of each call host, and omits those of one that is starting', async () => {
  const host = { host: 1, isRunning: true, exits: 0 };
  const reading = {
    media: READINGS.media,
    circuits: [],
    loopBusyShare: 0.5,
    loopDelayMs: 3,
    residentBytes: 100,
    cpuSeconds: 2.5,
  };
  const starting = { host: 2, isRunning: false, exits: 3, reading: null };
  const { text } = await served(async () => ({ ...READINGS, hosts: [{ ...host, reading }, starting] }));
  const lines = await text();
  expect(lines).toContain('\ntrunkline_call_host_up{host="1"} 1\ntrunkline_call_host_up{host="2"} 0\n');
  expect(lines).toContain('\ntrunkline_call_host_exits{host="2"} 3\n');
  expect(lines).toContain('\ntrunkline_call_host_loop_delay_seconds{host="1"} 0.003\n\n');
});

it('a circuit breaker counts as open if it is open in one of several processes', async () => {
  const open = { provider: 'openai', part: 'language_model', isOpen: true } as const;
  const { text } = await served(async () => ({ ...READINGS, circuits: [open, { ...open, isOpen: false }] }));
  expect(await text()).toContain('\ntrunkline_provider_circuit_open{provider="openai",part="language_model"} 1\n');
});
