import { type ChildProcess, spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { z } from 'zod';
import { call } from '../caller/caller.ts';
import { errorAnswer, textAnswer } from '../providers/openai/chat-script.ts';
import { heardLine, startEmulatedProviders } from '../service/rig/emulated-providers.ts';
import { startEventReceiver } from '../service/rig/event-receiver.ts';
import { eventually } from '../service/rig/eventually.ts';
import { dialIn, FROM, talker } from '../service/rig/staged-call.ts';
import { startTestService, type TestService } from '../service/rig/test-service.ts';
import { SipCallee } from '../sip-endpoint/sip-callee.ts';
import { hasPeer } from './peer-process.ts';
import { freeSipPort } from './sip-port.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Longer than the test: every scrape of it counts. */
const RATE_INTERVAL = '10m';
/** Until then Prometheus has read every series at least twice, on a busy machine. */
const FILLED_MS = 60_000;
/** Nothing listens there: files of ended calls wait. */
const STORE_AWAY = 's3://calls?endpoint=http://127.0.0.1:1&region=eu-central-1';

const dashboardSchema = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })) })),
});
const answerSchema = z.object({
  status: z.literal('success'),
  data: z.object({ result: z.array(z.object({ value: z.tuple([z.number(), z.string()]) })) }),
});

/** Each query of each dashboard, as Grafana would send it for all nodes. */
const QUERIES = globSync('deploy/grafana/dashboards/*.json', { cwd: ROOT }).flatMap((path) =>
  dashboardSchema.parse(JSON.parse(readFileSync(join(ROOT, path), 'utf8'))).panels.flatMap(({ targets, title }) =>
    targets.map(({ expr }) => ({
      panel: `${path}: ${title}`,
      query: expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', RATE_INTERVAL),
    })),
  ),
);

/** Prometheus reads the service each second, with our rules. Returns the address of its API. */
async function startPrometheus(metricsPort: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-prometheus-'));
  const port = await freeSipPort(1);
  const configuration = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [join(ROOT, 'deploy/prometheus/alerts.yml')],
    scrape_configs: [{ job_name: 'trunkline', static_configs: [{ targets: [`127.0.0.1:${metricsPort}`] }] }],
  };
  await writeFile(join(folder, 'prometheus.yml'), stringify(configuration));
  const args = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const child: ChildProcess = spawn('prometheus', args, { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => expect((await fetch(`${url}/-/ready`)).status).toBe(200), FILLED_MS);
  return url;
}

/** The finite values of a query now. */
async function valuesOf(url: string, query: string): Promise<readonly number[]> {
  const response = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query })}`);
  const { data } = answerSchema.parse(await response.json());
  return data.result.map(({ value }) => Number(value[1])).filter(Number.isFinite);
}

/** A call with a turn, whose model may fail, with webhook and recording; and an INVITE that is refused. */
async function takeCalls(test: TestService, hookUrl: string): Promise<void> {
  const { id } = await test.api.createAgent(
    talker({
      initial_message: 'Hello.',
      recording: true,
      webhook_url: hookUrl,
      webhook_subscriptions: ['event_call_ended'],
    }),
  );
  const answered = await dialIn(test, id);
  await answered.said('I am the agent.');
  await answered.hangUp();
  await test.api.callIn(answered.callId, ['completed']);
  await call({ target: { host: '127.0.0.1', port: test.sipPort }, to: '+33900000009', from: FROM });
}

describe.skipIf(!hasPeer('prometheus'))('the dashboards, on the metrics of a service that takes calls', () => {
  it('show a value in every panel', async () => {
    const carrier = await SipCallee.open();
    onTestFinished(() => carrier.close());
    carrier.onRequest = (request) => carrier.respond(request, 200, 'OK');
    const hooks = await startEventReceiver();
    onTestFinished(() => hooks.close());
    const providers = await startEmulatedProviders({
      listen: { steps: heardLine('Who are you?', 1_500, 2_300) },
      chat: (_body, nth) => (nth === 0 ? errorAnswer(500) : textAnswer('I am the agent.')),
    });
    onTestFinished(() => providers.close());
    const test = await startTestService({
      ...providers.environment,
      STORAGE_URL: STORE_AWAY,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    });
    onTestFinished(() => test.close());
    const url = await startPrometheus(test.service.metricsAddress?.port ?? 0);
    // The first call makes the series, the second one raises them between two scrapes.
    await takeCalls(test, hooks.url);
    await eventually(async () => {
      const turns = await valuesOf(url, 'trunkline_turn_seconds_count{part="response"}');
      expect(turns.length).toBeGreaterThan(0);
    }, FILLED_MS);
    await takeCalls(test, hooks.url);
    // After the calls: with a password, calls from its address need it.
    const trunk = {
      name: 'Carrier',
      termination_uri: `127.0.0.1:${carrier.hop.port}`,
      username: 'alice',
      password: 'secret-secret',
      register: true,
      options_interval: 10,
    };
    await test.api.requestOk(z.unknown(), 'POST', '/v1/sip-trunks', trunk);
    expect(QUERIES.length).toBeGreaterThan(40);
    await eventually(async () => {
      const empty: string[] = [];
      for (const { panel, query } of QUERIES) {
        if ((await valuesOf(url, query)).length === 0) empty.push(`${panel}: ${query}`);
      }
      expect(empty).toEqual([]);
    }, FILLED_MS);
  });
});
