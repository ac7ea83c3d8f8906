import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import pino from 'pino';
import { beforeAll, expect, onTestFinished } from 'vitest';
import { parseAddressRanges } from '../../../base/network/address-range.ts';
import { checkGraph } from '../../../engine/agent/graph-check.ts';
import type { LiveRequest } from '../../../engine/core/event.ts';
import { AuditLog } from '../../../src/api/audit/audit-log.ts';
import type { ApiDependencies } from '../../../src/api/context/route-context.ts';
import { createServer } from '../../../src/api/server.ts';
import { bestPassages } from '../../../src/background/knowledge/stored-knowledge.ts';
import type {
  CallRequest,
  CallService,
  PhoneCallRequest,
  StageRequest,
  StagingOutcome,
} from '../../../src/calls/api-requests/call-service.ts';
import { StoredEventWatchers } from '../../../src/calls/api-requests/stored-event-watchers.ts';
import type { PostOutcome } from '../../../src/cluster/node.ts';
import { loadConfiguration } from '../../../src/configuration/configuration.ts';
import { NO_EXTENSIONS } from '../../../src/configuration/extensions.ts';
import { settingsOf } from '../../../src/configuration/settings.ts';
import { createFolderStore } from '../../../src/object-storage/folder-store.ts';
import { MasterKeyRing } from '../../../src/secrets/master-key-ring.ts';
import type { Secrets } from '../../../src/secrets/secrets.ts';
import { DEFAULT_ORGANIZATION_ID, SCOPES } from '../../../src/storage/access/organization-repository.ts';
import type { CallRecord } from '../../../src/storage/calls/call-record.ts';
import type { Database } from '../../../src/storage/database/database.ts';
import { createRepositories, type Repositories } from '../../../src/storage/repositories.ts';
import { createDestinationPolicy } from '../../../src/telephony/destinations/destination-policy.ts';
import { TrunkAddressPolicy } from '../../../src/telephony/trunks/trunk-address-policy.ts';
import { borrowDatabase } from '../storage/database-pool.ts';
import { newCall, START_MS } from '../storage/temporary-database.ts';
import type { AnswerBody } from './answer-body.ts';

export const ADMIN_KEY = 'admin-key-of-the-default-organization';
export const READ_KEY = 'read-key-of-the-default-organization';
export const OTHER_KEY = 'admin-key-of-another-organization';
export const OTHER_ORGANIZATION_ID = '00000000-0000-4000-8000-000000000002';

/** A call service that only stores calls. Tests set the outcome of requests. */
export class FakeCallService implements CallService {
  readonly staged: StageRequest[] = [];
  readonly started: PhoneCallRequest[] = [];
  readonly terminated: string[] = [];
  readonly posted: { readonly callId: string; readonly request: LiveRequest }[] = [];
  /** Outcome of requests to a live call. */
  outcome: PostOutcome = 'posted';
  /** Whether a terminated call ends. */
  ends = true;
  /** The error that the next requests throw; null: they succeed. */
  refusal: Error | null = null;
  ready: Promise<StagingOutcome> = Promise.resolve({ type: 'staged' });
  readonly #repositories: Repositories;

  constructor(repositories: Repositories) {
    this.#repositories = repositories;
  }

  async stage(request: StageRequest) {
    if (this.refusal !== null) throw this.refusal;
    this.staged.push(request);
    const { agentOverrides, fromNumber, toNumber, idempotent } = request;
    const call = newCall(request.agentId, { agentOverrides, fromNumber, toNumber, idempotent });
    await this.#repositories.calls.createCall(call);
    return { callId: call.id, ready: this.ready };
  }

  async startPhoneCall(request: PhoneCallRequest) {
    if (this.refusal !== null) throw this.refusal;
    this.started.push(request);
    const { agentId, idempotent } = request;
    const call = newCall(agentId, { direction: 'outbound', status: 'created', idempotent });
    await this.#repositories.calls.createCall(call);
    return { callId: call.id };
  }

  async startWebCall(request: CallRequest) {
    if (this.refusal !== null) throw this.refusal;
    const call = newCall(request.agentId, {
      agentVersion: request.agentVersion,
      type: 'web_call',
      fromNumber: null,
      toNumber: null,
    });
    await this.#repositories.calls.createCall(call);
    return { callId: call.id, token: 'a-token', ready: this.ready };
  }

  async post(call: CallRecord, request: LiveRequest) {
    if (this.outcome === 'posted') this.posted.push({ callId: call.id, request });
    return this.outcome;
  }

  async terminate(callId: string) {
    this.terminated.push(callId);
    return this.ends;
  }
}

/** A clock that only tests advance. */
export class FakeClock {
  nowMs = START_MS;
  readonly #timers = new Set<{ readonly dueMs: number; readonly callback: () => void }>();

  wallMs = (): number => this.nowMs;

  after = (delayMs: number, callback: () => void): (() => void) => {
    const timer = { dueMs: this.nowMs + delayMs, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  get waiting(): number {
    return this.#timers.size;
  }

  /** Time of the next timer in ms; infinite without one. */
  get nextDueMs(): number {
    return Math.min(...[...this.#timers].map(({ dueMs }) => dueMs));
  }

  advance(ms: number): void {
    this.nowMs += ms;
    for (const timer of [...this.#timers].filter(({ dueMs }) => dueMs <= this.nowMs)) {
      this.#timers.delete(timer);
      timer.callback();
    }
  }
}

export interface TestApi {
  readonly app: FastifyInstance;
  readonly database: Database;
  readonly repositories: Repositories;
  readonly callService: FakeCallService;
  readonly eventWatchers: StoredEventWatchers;
  readonly clock: FakeClock;
  readonly audit: AuditLog;
  readonly secrets: Secrets;
  readonly dataDir: string;
  /** Sends a request, by default with the admin key. */
  ask(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: unknown, key?: string): Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  /** The parsed JSON. Throws if the response is not JSON. */
  readonly body: AnswerBody;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** The API with a separate database and a fake call service. Closed at the end of the test. */
export async function testApi(overrides: Partial<ApiDependencies> = {}): Promise<TestApi> {
  const api = await startTestApi(overrides);
  onTestFinished(api.close);
  return api;
}

/** One API for all tests of a file. Only for tests that leave no state behind. */
export function sharedApi(overrides: Partial<ApiDependencies> = {}): () => TestApi {
  let shared: StartedApi | null = null;
  beforeAll(async () => {
    shared = await startTestApi(overrides);
    return shared.close;
  });
  return () => {
    if (shared === null) throw new Error('the shared API is not started');
    return shared;
  };
}

interface StartedApi extends TestApi {
  readonly close: () => Promise<void>;
}

const ANY_TRUNK_ADDRESS = new TrunkAddressPolicy(parseAddressRanges('0.0.0.0/0,::/0'), []);

const SETTINGS = {
  webCalls: { upgrade: () => undefined },
  activities: async () => new Map(),
  deliverer: { wake: () => undefined },
  rateLimits: { perMinute: 600, perHour: 10_000 },
  sharedRequests: null,
  nodeId: null,
  docs: true,
  recordingLinkMs: 60 * 60 * 1_000,
  diskLowWaterBytes: 0,
  connectionsMax: 1_000,
  hasSipServer: () => true,
  takesCalls: () => true,
  isSpooled: false,
  traceElsewhere: async () => null,
  settings: settingsOf({}),
  agentTests: { run: async () => ({ faults: [], conversations: 0, reports: [], stopped: null }) },
  checkRuns: { run: async () => [] },
  listProviders: async () => [],
  circuits: async () => [],
  refusals: async () => [],
};

/** Fails a response that its schema refuses or would change: the service writes responses as they are. */
const compileSerializer: NonNullable<ApiDependencies['compileSerializer']> = (route) => {
  const asDocumented = serializerCompiler(route);
  return (response) => {
    const text = JSON.stringify(response);
    expect(JSON.parse(asDocumented(response))).toEqual(JSON.parse(text));
    return text;
  };
};

async function startTestApi(overrides: Partial<ApiDependencies>): Promise<StartedApi> {
  const dataDir = await mkdtemp(join(tmpdir(), 'trunkline-test-'));
  await mkdir(join(dataDir, 'knowledge'));
  const { database, giveBack } = await borrowDatabase('sqlite');
  const repositories = createRepositories(database);
  await storeKeys(database, repositories);
  const callService = new FakeCallService(repositories);
  const eventWatchers = new StoredEventWatchers();
  const clock = new FakeClock();
  const secrets = new MasterKeyRing(randomBytes(32));
  const audit = auditLogOf(repositories);
  const app = await createServer({
    repositories,
    callService,
    eventWatchers,
    secrets,
    audit,
    clock,
    logger: pino({ level: 'silent' }),
    ...SETTINGS,
    agentDefaults: loadConfiguration({}).agentDefaults,
    providers: { llm: ['openai', 'tape'], voice: ['deepgram', 'tape'], transcriber: ['deepgram', 'tape'] },
    missingSetting: () => null,
    detectsTurns: ({ model }) => model?.startsWith('flux') ?? false,
    providerOfModel: (_model, preferred) => preferred ?? null,
    checkGraph,
    destinations: createDestinationPolicy({ allowedPrefixes: [], extensions: NO_EXTENSIONS }),
    trunkAddresses: ANY_TRUNK_ADDRESS,
    traces: { capture: () => true, ladder: () => 'INVITE', pcap: () => new Uint8Array(24), forget: () => {} },
    registrations: { add: () => {}, remove: async () => {}, replace: async () => {} },
    trunkStates: async () => () => ({ registration: null, reachability: null }),
    reachabilityHistory: async () => new Map(),
    publicUrl: () => 'http://calls.test',
    files: createFolderStore(dataDir),
    dataDir,
    searchKnowledge: bestPassages.bind(null, { chunks: repositories.knowledgeChunks, vectorSearch: null }),
    onSourcesChanged: () => {},
    reloadAllowedSources: () => Promise.resolve(),
    checkDatabase: () => database.check(),
    compileSerializer,
    ...overrides,
  });
  const close = async () => {
    await app.close();
    await audit.close();
    await giveBack();
    await rm(dataDir, { recursive: true, force: true });
  };
  const ask: TestApi['ask'] = async (method, url, payload, key = ADMIN_KEY) => {
    const options: InjectOptions = { method, url, headers: { 'x-api-key': key } };
    const response = await app.inject(
      payload === undefined
        ? options
        : {
            ...options,
            payload: JSON.stringify(payload),
            headers: { ...options.headers, 'content-type': 'application/json' },
          },
    );
    return {
      status: response.statusCode,
      get body() {
        return response.json<AnswerBody>();
      },
      text: response.body,
      headers: response.headers,
    };
  };
  return { app, database, repositories, callService, eventWatchers, clock, audit, secrets, dataDir, ask, close };
}

function auditLogOf({ auditLog: repository }: Repositories): AuditLog {
  // Its timers are none of the API's, which tests count.
  return new AuditLog({ repository, clock: new FakeClock(), log: { error: () => {} }, days: 365 });
}

async function storeKeys(database: Database, { organizations }: Repositories): Promise<void> {
  await organizations.ensureDefault(START_MS);
  const other = { id: OTHER_ORGANIZATION_ID, name: 'other', created_ms: START_MS, last_listed_us: 0 };
  await database.query.insertInto('organizations').values(other).execute();
  const add = (organizationId: string, key: string, scopes: readonly (typeof SCOPES)[number][]) =>
    organizations.addKey({ organizationId, name: key.slice(0, 5), key, scopes, nowMs: START_MS });
  await add(DEFAULT_ORGANIZATION_ID, ADMIN_KEY, SCOPES);
  await add(DEFAULT_ORGANIZATION_ID, READ_KEY, ['read']);
  await add(OTHER_ORGANIZATION_ID, OTHER_KEY, SCOPES);
}

/** A key that may change, and not read. */
export async function writeOnlyKey(api: TestApi): Promise<string> {
  const { body } = await api.ask('POST', '/v1/api-keys', { name: 'writer', scopes: ['write'] });
  return body.data.key;
}

export const MINIMAL_AGENT = {
  name: 'Front desk',
  states: [{ name: 'greeting', prompt: 'Greet.', tools: [{ type: 'hang_up', name: 'bye' }] }],
  initial_state_name: 'greeting',
};

/** Creates an agent through the API and returns its id. */
export async function createAgent(api: TestApi, fields: Record<string, unknown> = {}): Promise<string> {
  const { body } = await api.ask('POST', '/v1/agents', { ...MINIMAL_AGENT, ...fields });
  return body.data.id;
}
