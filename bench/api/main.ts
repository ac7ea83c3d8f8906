import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openDatabase } from '../../src/storage/database/database.ts';
import { ApiClient } from '../../test/service/rig/api-client.ts';
import { percentilesOf } from '../percentiles.ts';
import { Report } from '../report.ts';
import { BenchProcess } from '../rig/bench-process.ts';
import type {
  ProvidersCommand,
  ProvidersNotice,
  ServiceCommand,
  ServiceLoad,
  ServiceNotice,
} from '../rig/process-messages.ts';
import { scriptOf } from '../rig/script.ts';
import { onTemporaryPostgres } from '../temporary-postgres.ts';
import type { BareCommand, BareNotice } from './bare-server.ts';
import { storeCallsWithTranscripts } from './calls-with-transcripts.ts';
import type { GeneratorCommand, GeneratorNotice } from './load-generator.ts';

/**
 * API requests per second and their latency, on SQLite and on a temporary PostgreSQL with default settings, compared
 * with a bare Fastify route in the same run.
 *
 *     node bench/api/main.ts [--short] [--seconds 5] [--repeats 3] [--connections 10] [--calls 10000] [--profile DIR]
 */
const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    seconds: { type: 'string' },
    repeats: { type: 'string' },
    connections: { type: 'string', default: '10' },
    calls: { type: 'string' },
    profile: { type: 'string' },
  },
});
const SECONDS = Number(values.seconds ?? (values.short ? '1' : '5'));
const REPEATS = Number(values.repeats ?? (values.short ? '1' : '3'));
const CONNECTIONS = Number(values.connections);
const CALLS = Number(values.calls ?? (values.short ? '1000' : '10000'));
/** Until the measured code is compiled. */
const WARM_UP_S = values.short ? 1 : 2;
const API_KEY = 'tl_bench_key_of_the_benchmarks_0123456789';
/** Never reached: requests are counted, but not refused. */
const RATE_LIMIT = '999999999';

interface ApiRequest {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
}

interface ServiceWindow {
  readonly ran: GeneratorNotice;
  readonly load: ServiceLoad;
}

type Generator = BenchProcess<GeneratorCommand, GeneratorNotice>;

const report = new Report('api');
const details: object[] = [];
const generator: Generator = new BenchProcess(new URL('./load-generator.ts', import.meta.url));
const bare = new BenchProcess<BareCommand, BareNotice>(new URL('./bare-server.ts', import.meta.url));
try {
  const { url: bareUrl } = await bare.nextNotice('started');
  await inFolder((dataDir) => measure('SQLite', dataDir, null, bareUrl));
  await onTemporaryPostgres(report, (databaseUrl) =>
    inFolder((dataDir) => measure('PostgreSQL', dataDir, databaseUrl, bareUrl)),
  );
} finally {
  await Promise.all([generator.end(), bare.end()]);
}
report.note(
  `${CONNECTIONS} connections, each with one open request; ${REPEATS} windows of ${SECONDS} s, medians; ${CALLS} calls stored.`,
);
report.note('The bare route returns the JSON of «get call» (GET) and parses that of «stage a call» (POST).');
await report.finish(details);

async function inFolder(run: (dataDir: string) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'trunkline-bench-'));
  try {
    await run(dataDir);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function measure(name: string, dataDir: string, databaseUrl: string | null, bareUrl: string): Promise<void> {
  const database = await openDatabase({ dataDir, databaseUrl });
  const filled = await storeCallsWithTranscripts(database, CALLS).finally(() => database.close());
  const env = { BENCH_SCRIPT: 'turn', BENCH_TURNS: '1' };
  const providers = new BenchProcess<ProvidersCommand, ProvidersNotice>(
    new URL('../rig/providers-process.ts', import.meta.url),
    {
      env,
    },
  );
  const { environment, functionUrl } = await providers.nextNotice('started');
  const log = await open(join(dataDir, 'service.log'), 'w');
  const service = new BenchProcess<ServiceCommand, ServiceNotice>(
    new URL('../rig/service-process.ts', import.meta.url),
    {
      stdout: log.fd,
      execArgv: values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`],
      env: {
        ...environment,
        ...(databaseUrl !== null && { DATABASE_URL: databaseUrl }),
        HTTP_PORT: '0',
        METRICS_BIND: '127.0.0.1:0',
        SIP_PORT: '0',
        DATA_DIR: dataDir,
        TRUNKLINE_API_KEY: API_KEY,
        RATE_LIMIT_PER_MINUTE: RATE_LIMIT,
        RATE_LIMIT_PER_HOUR: RATE_LIMIT,
      },
    },
  );
  try {
    const { httpUrl } = await service.nextNotice('started');
    const api = new ApiClient(httpUrl, API_KEY);
    const agent = await api.createAgent(scriptOf('turn', 1).agent(functionUrl));
    const { body: answer } = await api.send('GET', `/v1/calls/${filled.callId}`);
    await bare.request({ type: 'answer', answer }, 'taken');
    const staged = { from_number: '+33123456789', to_number: '+33987654321', agent_id: agent.id };
    const requests: readonly ApiRequest[] = [
      { name: 'get call', method: 'GET', path: `/v1/calls/${filled.callId}` },
      { name: 'list 50 calls', method: 'GET', path: '/v1/calls?limit=50' },
      { name: 'list 50 of an agent', method: 'GET', path: `/v1/calls?limit=50&agent_id=${filled.agentId}` },
      { name: 'list 50 with transcripts', method: 'GET', path: '/v1/calls?limit=50&include_transcript=true' },
      { name: 'stage a call', method: 'POST', path: '/v1/calls/stage', body: staged },
    ];
    for (const request of requests) await measureRequest(name, request, httpUrl, bareUrl, service);
  } finally {
    await Promise.all([service.end(), providers.end()]);
    await log.close();
  }
}

/** Alternates with the bare route, so that other load on the machine affects both alike. */
async function measureRequest(
  database: string,
  request: ApiRequest,
  httpUrl: string,
  bareUrl: string,
  service: BenchProcess<ServiceCommand, ServiceNotice>,
): Promise<void> {
  const url = `${httpUrl}${request.path}`;
  await generateLoad(request, url, WARM_UP_S);
  await generateLoad(request, bareUrl, WARM_UP_S);
  const windows: ServiceWindow[] = [];
  const limits: GeneratorNotice[] = [];
  for (let nth = 0; nth < REPEATS; nth++) {
    await service.request({ type: 'open', journalCallId: null }, 'opened');
    const ran = await generateLoad(request, url, SECONDS);
    windows.push({ ran, load: await service.request({ type: 'close' }, 'closed') });
    limits.push(await generateLoad(request, bareUrl, SECONDS));
  }
  const ours = (pick: (window: ServiceWindow) => number) => percentilesOf(windows.map(pick)).p50;
  const limit = percentilesOf(limits.map(({ requestsPerSecond }) => requestsPerSecond)).p50;
  const requestsPerSecond = ours(({ ran }) => ran.requestsPerSecond);
  report.add({
    database,
    request: request.name,
    'requests/s': Math.round(requestsPerSecond),
    'p50 ms': ours(({ ran }) => ran.p50Ms).toFixed(2),
    'p99 ms': ours(({ ran }) => ran.p99Ms).toFixed(2),
    'bare requests/s': Math.round(limit),
    'bare p99 ms': percentilesOf(limits.map(({ p99Ms }) => p99Ms)).p50.toFixed(2),
    'of bare': `${((100 * requestsPerSecond) / limit).toFixed(0)} %`,
    'main thread ms a request': ours(({ ran, load }) => (1_000 * load.mainShare) / ran.requestsPerSecond).toFixed(3),
    'KiB an answer': (ours(({ ran }) => ran.answerBytes) / 1_024).toFixed(1),
    failed: windows.reduce((sum, { ran }) => sum + ran.failed, 0),
  });
  details.push({ database, request, windows, limits });
}

function generateLoad({ method, body }: ApiRequest, url: string, seconds: number): Promise<GeneratorNotice> {
  const json = body !== undefined && { body: JSON.stringify(body) };
  const headers = { 'x-api-key': API_KEY, ...(body !== undefined && { 'content-type': 'application/json' }) };
  return generator.request({ type: 'run', url, method, headers, connections: CONNECTIONS, seconds, ...json }, 'ran');
}
