import { mkdtemp, open, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { z } from 'zod';
import { ApiClient, type callSchema } from '../../test/service/rig/api-client.ts';
import { BenchProcess } from './bench-process.ts';
import type { Load } from './load-meter.ts';
import type {
  CallersCommand,
  CallersNotice,
  CallersReport,
  ProvidersCommand,
  ProvidersNotice,
  ProviderTurn,
  ServiceCommand,
  ServiceLoad,
  ServiceMemory,
  ServiceNotice,
} from './process-messages.ts';
import { CALLED_NUMBER, CALLER_VARIABLE, type Script, scriptOf } from './script.ts';

interface ServiceOptions {
  readonly script: 'turn' | 'interruption' | 'conversation';
  /** Turns of a `turn` script, or interruptions of an `interruption` script. */
  readonly turns: number;
  /** Called when the conversations start. The service stops only after the returned promise has resolved. */
  readonly duringCalls?: (service: RunningService) => Promise<void>;
  /** Folder for CPU profiles of the service's threads. Profiling slows the service down. */
  readonly profileTo?: string;
  /** The service refuses calls at this packet lateness, ms. Default: `ADMISSION_LATENESS_MS`, which no benchmark reaches. */
  readonly admissionLatenessMs?: number;
  /** Origin of a collector that gets the service's traces and metrics over OTLP. Default: none. */
  readonly collectorOrigin?: string;
}

export interface RigOptions extends ServiceOptions {
  readonly calls: number;
  /** The conversations begin within this time after the last greeting, ms. */
  readonly spreadMs: number;
  /** Conversations before the measured ones, until the hot code is compiled. Default: none. */
  readonly warmUpCalls?: number;
  /** Whether the service also makes a hundred database writes a second during the conversations. */
  readonly writes: boolean;
  /** Addresses that the service's trunk lists; empty: there is no trunk. */
  readonly trunkAddresses?: readonly string[];
}

/** The service during the calls. */
export interface RunningService {
  readonly sipPort: number;
  /** Origin of the providers: `http://127.0.0.1:4711`. */
  readonly providersOrigin: string;
  readonly callsEnded: Promise<void>;
  memory(): Promise<ServiceMemory>;
}

export type ReportedCall = z.output<typeof callSchema>;

export interface RigResult {
  readonly script: Script;
  /** From the start of the conversations to the end of the last call. */
  readonly windowMs: number;
  /** CPU of all other processes of the machine in the window, as a share of one core. */
  readonly otherLoadShare: number;
  readonly service: ServiceLoad;
  readonly providers: Load;
  readonly callers: CallersReport;
  readonly providerTurns: readonly ProviderTurn[];
  /** The fault that a caller saw, by the caller's number; null: none. */
  readonly faults: ReadonlyMap<number, string | null>;
  readonly providerFaults: readonly string[];
  /** Each call from the API after its end, by the caller's number. */
  readonly reportedCalls: ReadonlyMap<number, ReportedCall>;
}

const API_KEY = 'tl_bench_key_of_the_benchmarks_0123456789';
const CALLS_PER_SECOND = 20;
/** Bound from the last dial to the last greeting, and from the start of the conversations to the last end. */
const WAIT_MS_MAX = 180_000;
/**
 * Packet lateness at which the service refuses calls, ms. Callers and providers share the machine and make packets late too, so
 * benchmarks set a limit that is not reached. Their pacing figures show the lateness.
 */
export const ADMISSION_LATENESS_MS = 1_000;
const FROM = '+33123456789';
const FINAL = ['completed', 'failed', 'canceled', 'no_answer', 'busy'];

/** The three processes of a benchmark, and an agent for its script. */
export interface Rig {
  readonly api: ApiClient;
  readonly agentId: string;
  readonly sipPort: number;
  /** Origin of the providers: `http://127.0.0.1:4711`. */
  readonly providersOrigin: string;
  readonly service: BenchProcess<ServiceCommand, ServiceNotice>;
  readonly providers: BenchProcess<ProvidersCommand, ProvidersNotice>;
  readonly callers: BenchProcess<CallersCommand, CallersNotice>;
  end(): Promise<void>;
}

export async function startRig(options: ServiceOptions): Promise<Rig> {
  const dataDir = await mkdtemp(join(tmpdir(), 'trunkline-bench-'));
  const env = { BENCH_SCRIPT: options.script, BENCH_TURNS: String(options.turns) };
  const providers = new BenchProcess<ProvidersCommand, ProvidersNotice>(
    new URL('./providers-process.ts', import.meta.url),
    { env },
  );
  const callers = new BenchProcess<CallersCommand, CallersNotice>(new URL('./callers-process.ts', import.meta.url), {
    env,
  });
  const callersStarted = callers.nextNotice('started');
  const { environment, functionUrl } = await providers.nextNotice('started');
  const service = await startService(options, environment, dataDir);
  const end = async () => {
    await Promise.all([callers.end(), service.child.end(), providers.end()]);
    await service.log.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await callersStarted;
    const { httpUrl, sipPort } = await service.started;
    const api = new ApiClient(httpUrl, API_KEY);
    const { id: agentId } = await api.createAgent(scriptOf(options.script, options.turns).agent(functionUrl));
    const providersOrigin = new URL(functionUrl).origin;
    return { api, agentId, sipPort, providersOrigin, service: service.child, providers, callers, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Runs simultaneous calls against the real service. Service, providers and callers are separate processes. */
export async function runRig(options: RigOptions): Promise<RigResult> {
  const script = scriptOf(options.script, options.turns);
  const rig = await startRig(options);
  const { agentId, api, callers, providers, providersOrigin, service, sipPort } = rig;
  try {
    await addTrunk(api, options.trunkAddresses ?? []);
    if (options.warmUpCalls !== undefined) await warmUp(options.warmUpCalls, options, rig);
    const progress = new CallProgress(callers, numbersFrom(1, options.calls));
    const callIds = await dialAll(progress.calls, agentId, api, callers, sipPort);
    await within(progress.greeted, 'greetings');
    const journalCallId = options.writes ? await stage(api, agentId, 0) : null;
    await Promise.all([
      providers.request({ type: 'open' }, 'opened'),
      service.request({ type: 'open', journalCallId }, 'opened'),
    ]);
    const startMs = performance.now();
    const busyBeforeMs = machineBusyMs();
    callers.send({ type: 'go', spreadMs: options.spreadMs });
    const duringCalls = options.duringCalls?.({
      sipPort,
      providersOrigin,
      callsEnded: progress.ended,
      memory: () => service.request({ type: 'memory' }, 'memory'),
    });
    await within(progress.ended, 'ends');
    const windowMs = performance.now() - startMs;
    const machineShare = (machineBusyMs() - busyBeforeMs) / windowMs;
    const [serviceLoad, providersReport, callersReport] = await Promise.all([
      service.request({ type: 'close' }, 'closed'),
      providers.request({ type: 'close' }, 'closed'),
      callers.request({ type: 'report' }, 'report'),
    ]);
    await duringCalls;
    const benchmarkShare = [serviceLoad, providersReport.load, callersReport.load].reduce(
      (sum, load) => sum + load.processShare,
      0,
    );
    return {
      script,
      windowMs,
      otherLoadShare: Math.max(0, machineShare - benchmarkShare),
      service: serviceLoad,
      providers: providersReport.load,
      callers: { ...callersReport, turns: callersReport.turns.filter(({ call }) => call <= options.calls) },
      providerTurns: providersReport.turns,
      faults: progress.faults,
      providerFaults: providersReport.faults,
      reportedCalls: await readCalls(callIds, api),
    };
  } finally {
    await rig.end();
  }
}

/** Runs whole conversations of callers whose numbers follow those of the measured ones. */
async function warmUp(
  calls: number,
  { calls: measured, spreadMs }: Pick<RigOptions, 'calls' | 'spreadMs'>,
  { agentId, api, callers, sipPort }: Rig,
): Promise<void> {
  const progress = new CallProgress(callers, numbersFrom(measured + 1, calls));
  await dialAll(progress.calls, agentId, api, callers, sipPort);
  await within(progress.greeted, 'greetings of the warm-up');
  callers.send({ type: 'go', spreadMs });
  await within(progress.ended, 'ends of the warm-up');
}

function numbersFrom(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => first + i);
}

/** Adds a trunk that lists these addresses; none without addresses. */
async function addTrunk(api: ApiClient, addresses: readonly string[]): Promise<void> {
  if (addresses.length === 0) return;
  const trunk = { name: 'Bench', termination_uri: '127.0.0.1:9', transport: 'udp', allowed_addresses: addresses };
  await api.requestOk(z.unknown(), 'POST', '/v1/sip-trunks', trunk);
}

async function startService(options: ServiceOptions, providers: Record<string, string>, dataDir: string) {
  const log = await open(join(dataDir, 'service.log'), 'w');
  const profile = options.profileTo === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profileTo}`];
  const gcFlags = options.duringCalls === undefined ? [] : ['--expose-gc'];
  const child = new BenchProcess<ServiceCommand, ServiceNotice>(new URL('./service-process.ts', import.meta.url), {
    execArgv: [...profile, ...gcFlags],
    stdout: log.fd,
    env: {
      ...providers,
      HTTP_PORT: '0',
      METRICS_BIND: '127.0.0.1:0',
      SIP_PORT: '0',
      // All callers of a load have one address.
      SOURCE_MAX_CALLS: '100000',
      RTP_PORTS: '10000-18999',
      DATA_DIR: dataDir,
      TRUNKLINE_API_KEY: API_KEY,
      HTTP_ALLOW_ADDRESSES: '127.0.0.1/32',
      RATE_LIMIT_PER_MINUTE: '100000',
      RATE_LIMIT_PER_HOUR: '100000',
      ADMISSION_LATENESS_MS: String(options.admissionLatenessMs ?? ADMISSION_LATENESS_MS),
      ...(options.collectorOrigin !== undefined && { OTEL_EXPORTER_OTLP_ENDPOINT: options.collectorOrigin }),
    },
  });
  return { child, log, started: child.nextNotice('started') };
}

/** Stages and dials calls at a steady rate. Returns the call ids by the callers' numbers. */
async function dialAll(
  calls: readonly number[],
  agentId: string,
  api: ApiClient,
  callers: BenchProcess<CallersCommand, CallersNotice>,
  sipPort: number,
): Promise<ReadonlyMap<number, string>> {
  const startMs = performance.now();
  const callIds = new Map<number, string>();
  const dial = async (call: number, nth: number) => {
    await after(Math.max(0, startMs + (nth * 1000) / CALLS_PER_SECOND - performance.now()));
    const callId = await stage(api, agentId, call);
    callIds.set(call, callId);
    callers.send({ type: 'dial', call, callId, sipPort });
  };
  await Promise.all(calls.map(dial));
  return callIds;
}

function stage(api: ApiClient, agentId: string, call: number): Promise<string> {
  return api.stage(stagingRequest(agentId, call));
}

export function stagingRequest(agentId: string, call: number) {
  return {
    from_number: FROM,
    to_number: CALLED_NUMBER,
    agent_id: agentId,
    dynamic_variables_values: { [CALLER_VARIABLE]: String(call) },
  };
}

/** Counts the greeted callers and the ended ones of these calls. A call that ends without a greeting counts as both. */
class CallProgress {
  readonly calls: readonly number[];
  readonly greeted: Promise<void>;
  readonly ended: Promise<void>;
  readonly faults = new Map<number, string | null>();

  constructor(callers: BenchProcess<CallersCommand, CallersNotice>, calls: readonly number[]) {
    this.calls = calls;
    const own = new Set(calls);
    const greeted = new Set<number>();
    const allGreeted = Promise.withResolvers<void>();
    const allEnded = Promise.withResolvers<void>();
    this.greeted = allGreeted.promise;
    this.ended = allEnded.promise;
    callers.process.on('message', (notice: CallersNotice) => {
      if (!('call' in notice) || !own.has(notice.call)) return;
      if (notice.type === 'ended') this.faults.set(notice.call, notice.fault);
      greeted.add(notice.call);
      if (greeted.size === calls.length) allGreeted.resolve();
      if (this.faults.size === calls.length) allEnded.resolve();
    });
  }
}

async function within(promise: Promise<void>, milestones: string): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error(`not all ${milestones} came within ${WAIT_MS_MAX} ms`)), WAIT_MS_MAX);
  await Promise.race([promise, late]);
  clearTimeout(timer);
}

/** Reads the ended calls from the API, one after another. */
async function readCalls(callIds: ReadonlyMap<number, string>, api: ApiClient) {
  const answers = new Map<number, ReportedCall>();
  for (const [call, callId] of callIds) answers.set(call, await api.callIn(callId, FINAL));
  return answers;
}

/** Time that all cores were busy since the machine's start, in ms. */
function machineBusyMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}
