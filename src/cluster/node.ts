import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/time/clock.ts';
import type { LiveRequest } from '../../engine/core/event.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Log } from '../log/log.ts';
import type { CallRecord } from '../storage/calls/call-record.ts';
import { type NodeMessage, PostgresBus } from '../storage/cluster/node-bus.ts';
import { createNodeRepository } from '../storage/cluster/node-repository.ts';
import { type Database, openDatabase, openLeaseDatabase } from '../storage/database/database.ts';
import { createRepositories, type Repositories } from '../storage/repositories.ts';
import { isFinal } from '../storage/schema/call-status.ts';
import { leaderRepositories } from './leader-repositories.ts';
import { type NodeIdentity, takeNodeIdentity } from './node-identity.ts';
import { LEASE_MS, NodeLease } from './node-lease.ts';
import { SharedUsage } from './shared-usage.ts';

/** Minimum interval of notifications about stored data, ms. */
const NOTIFY_INTERVAL_MS = 250;
/** Time that another node has to end its call, ms: the same as for a call of this node. */
const END_WAIT_MS = 10_000;
/** Time that another node has to accept a request for its call, ms. */
const ACCEPT_WAIT_MS = 3_000;
const POLL_INTERVAL_MS = 50;
/** Repeats the notification, because a reconnecting node misses it. Repeating has no further effect. */
const NOTIFY_REPEAT_MS = 1_000;

/** Answered requests that a node remembers: many more than others repeat at one time. */
const ANSWERED_MAX = 1_000;

/** Actions of this node on notifications and for dead nodes. */
export interface NodeDuties {
  /** Another node stored data, or this node became the leader. */
  readonly wake: () => void;
  /** Ends a call of this node. */
  readonly terminate: (callId: string) => Promise<void>;
  /** Whether a call runs on this node. */
  readonly isLive: (callId: string) => boolean;
  /** Passes a request to a call of this node. */
  readonly post: (callId: string, request: LiveRequest) => unknown;
  /** The lease is about to expire: ends all calls of this node. */
  readonly endCalls: () => void;
  /** The lease had expired: ends the calls that other nodes have closed. */
  readonly endAdopted: () => Promise<void>;
  /** Closes a call of a dead node. */
  readonly closeOrphaned: (call: CallRecord) => Promise<unknown>;
  /** Ends expired staged calls of all nodes. */
  readonly expireStaged: () => Promise<unknown>;
  /** Registers the trunks if this node leads, and no others. */
  readonly syncRegistrations: () => Promise<void>;
}

/** Outcome of a request to a call: accepted, the call is not in progress, or its node did not accept it in time. */
export type PostOutcome = 'posted' | 'not_in_progress' | 'not_taken';

/** The SIP messages of a call as text, a started capture, or its file. */
export type TraceKind = Extract<NodeMessage, { type: 'trace' }>['trace'];
/** null: this node has none. */
export type AnswerTrace = (callId: string, trace: TraceKind) => Promise<Uint8Array | null>;

/** This process, as one of several nodes on the same database. */
export interface ThisNode {
  /** null on SQLite, which has a single node. */
  readonly id: string | null;
  readonly database: Database;
  /** Return background work only while this node is the leader. */
  readonly repositories: Repositories;
  /** Whether the lease is certain to last until calls of this node could be ended. Always on SQLite. */
  holdsLease(): boolean;
  /** Whether this node runs the work that one node does for all. Always on SQLite. */
  leads(): boolean;
  /** Whether no other node has a lease. */
  isAlone(): Promise<boolean>;
  /** The calls of the other nodes over trunks with a limit. */
  readonly trunkUsage: Pick<SharedUsage, 'ofOthers' | 'reportCalls'>;
  /** Starts listening to notifications. */
  join(duties: NodeDuties): Promise<void>;
  /** Schedules a notification of the other nodes; cheap. */
  notifyStored(): void;
  /** Asks another node to end its call and waits for it. false: the call belongs to this node or to none. */
  endElsewhere(call: CallRecord): Promise<boolean>;
  /** Passes a request to a call of another node. */
  postElsewhere(call: CallRecord, request: LiveRequest): Promise<PostOutcome>;
  /** The trace of a call that another node has in memory; null without one. `not_taken`: that node did not answer in time. */
  traceElsewhere(call: Pick<CallRecord, 'id' | 'nodeId'>, trace: TraceKind): Promise<Uint8Array | null | 'not_taken'>;
  /** Answers the trace requests of other nodes from now on. */
  answerTraces(answer: AnswerTrace): void;
  /** Leaves the leader's work to another node, if there is one. The first step of a shutdown. */
  resign(): Promise<void>;
  /** Releases the lease and closes the database. The last step of a shutdown. */
  close(): Promise<void>;
}

/** Opens the database and, on PostgreSQL, acquires the lease of this node. Rejects if either fails. */
export async function openNode(
  configuration: Pick<Configuration, 'dataDir' | 'databaseUrl'>,
  clock: Clock,
  log: Pick<Log, 'warn' | 'error'>,
): Promise<ThisNode> {
  const { databaseUrl, dataDir } = configuration;
  if (databaseUrl === null) return singleNode(await openDatabase({ dataDir }));
  const identity = await takeNodeIdentity(dataDir);
  const opened: Database[] = [];
  try {
    const database = await openDatabase(configuration);
    opened.push(database);
    const leaseDatabase = await openLeaseDatabase(databaseUrl);
    opened.push(leaseDatabase);
    const node = new SharingNode(identity, { database, leaseDatabase, url: databaseUrl }, clock, log);
    await node.repositories.nodes.renew(identity.id, LEASE_MS);
    return node;
  } catch (error) {
    for (const database of opened) await database.close();
    identity.close();
    throw error;
  }
}

function singleNode(database: Database): ThisNode {
  return {
    id: null,
    database,
    repositories: createRepositories(database),
    holdsLease: () => true,
    leads: () => true,
    isAlone: async () => true,
    trunkUsage: { ofOthers: () => 0, reportCalls: () => {} },
    join: async () => {},
    notifyStored: () => {},
    endElsewhere: async () => false,
    postElsewhere: async () => 'not_in_progress',
    traceElsewhere: async () => null,
    answerTraces: () => {},
    resign: async () => {},
    close: () => database.close(),
  };
}

class SharingNode implements ThisNode {
  readonly id: string;
  readonly database: Database;
  readonly repositories: Repositories;
  readonly trunkUsage: SharedUsage;
  readonly #identity: NodeIdentity;
  readonly #url: string;
  readonly #clock: Clock;
  readonly #log: Pick<Log, 'warn' | 'error'>;
  /** Its own connection: the lease waits for no other query. */
  readonly #leaseDatabase: Database;
  #lease: NodeLease | null = null;
  #bus: PostgresBus | null = null;
  #cancelNotification: (() => void) | null = null;
  #answerTrace: AnswerTrace | null = null;
  /** Requests that are answered or being answered, the oldest first: a second answer would stay, as it is taken once. */
  readonly #answered = new Set<string>();

  constructor(
    identity: NodeIdentity,
    { database, leaseDatabase, url }: { database: Database; leaseDatabase: Database; url: string },
    clock: Clock,
    log: Pick<Log, 'warn' | 'error'>,
  ) {
    this.id = identity.id;
    this.database = database;
    this.#leaseDatabase = leaseDatabase;
    this.repositories = leaderRepositories(createRepositories(database, identity.id), () => this.leads());
    this.#identity = identity;
    this.#url = url;
    this.#clock = clock;
    this.#log = log;
    this.trunkUsage = new SharedUsage({
      clock,
      validMs: LEASE_MS,
      send: (usage) => this.#notify({ type: 'usage', nodeId: this.id, usage }),
    });
  }

  async isAlone(): Promise<boolean> {
    return !(await this.repositories.nodes.hasOthers(this.id));
  }

  async join(duties: NodeDuties): Promise<void> {
    this.#lease = new NodeLease({
      nodeId: this.id,
      nodes: {
        ...createNodeRepository(this.#leaseDatabase),
        orphanedCalls: () => this.repositories.nodes.orphanedCalls(),
      },
      clock: this.#clock,
      log: this.#log,
      onLost: async (call) => {
        await duties.closeOrphaned(call);
        duties.wake();
      },
      onBeat: async () => {
        this.trunkUsage.repeat();
        await duties.expireStaged();
        await duties.syncRegistrations();
        if (this.leads()) await this.#removeOldRequests();
      },
      onLead: duties.wake,
      onExpiring: duties.endCalls,
      onRegained: duties.endAdopted,
    });
    await this.#lease.start();
    this.#bus = await PostgresBus.open(this.#url, this.database, (message) => this.#onMessage(message, duties));
  }

  leads(): boolean {
    return this.#lease?.leads ?? false;
  }

  holdsLease(): boolean {
    return this.#lease?.holds ?? true;
  }

  notifyStored(): void {
    this.#cancelNotification ??= this.#clock.after(NOTIFY_INTERVAL_MS, () => {
      this.#cancelNotification = null;
      this.#notify({ type: 'stored', nodeId: this.id });
    });
  }

  async endElsewhere(call: CallRecord): Promise<boolean> {
    const { nodes } = this.repositories;
    const { nodeId } = call;
    if (nodeId === null || nodeId === this.id || call.status === 'staged') return false;
    if (!(await nodes.isAlive(nodeId))) return false;
    const message = { type: 'terminate', nodeId, callId: call.id } as const;
    await this.#notifyUntil(message, () => this.#hasEnded(call.id), END_WAIT_MS);
    return true;
  }

  async postElsewhere({ id: callId, nodeId }: CallRecord, request: LiveRequest): Promise<PostOutcome> {
    const { nodes, nodeCommands } = this.repositories;
    if (nodeId === null || nodeId === this.id) return 'not_in_progress';
    if (!(await nodes.isAlive(nodeId))) return 'not_taken';
    const orderId = randomUUID();
    await nodeCommands.put(orderId, request);
    const isDone = async () => (await nodeCommands.isTaken(orderId)) || this.#hasEnded(callId);
    await this.#notifyUntil({ type: 'order', nodeId, callId, orderId }, isDone, ACCEPT_WAIT_MS);
    // A withdrawn request cannot reach the call any more.
    if ((await nodeCommands.take(orderId)) === null) return 'posted';
    return (await this.#hasEnded(callId)) ? 'not_in_progress' : 'not_taken';
  }

  async traceElsewhere(
    { id: callId, nodeId }: Pick<CallRecord, 'id' | 'nodeId'>,
    trace: TraceKind,
  ): Promise<Uint8Array | null | 'not_taken'> {
    const { nodeAnswers, nodes } = this.repositories;
    // A node that has died has no memory of its calls.
    if (nodeId === null || nodeId === this.id || !(await nodes.isAlive(nodeId))) return null;
    const requestId = randomUUID();
    let body: Uint8Array | null | undefined;
    const isDone = async () => {
      body = await nodeAnswers.take(requestId);
      return body !== undefined;
    };
    await this.#notifyUntil({ type: 'trace', nodeId, callId, requestId, trace }, isDone, ACCEPT_WAIT_MS);
    return body === undefined ? 'not_taken' : body;
  }

  answerTraces(answer: AnswerTrace): void {
    this.#answerTrace = answer;
  }

  /** Contents of calls whose sender or receiver has died. */
  async #removeOldRequests(): Promise<void> {
    const { nodeAnswers, nodeCommands } = this.repositories;
    await Promise.all([nodeAnswers.removeOld(), nodeCommands.removeOld()]);
  }

  async #hasEnded(callId: string): Promise<boolean> {
    const now = await this.repositories.calls.find(callId);
    return now === null || isFinal(now.status);
  }

  async #notifyUntil(message: NodeMessage, isDone: () => Promise<boolean>, waitMs: number): Promise<void> {
    for (let waitedMs = 0; waitedMs < waitMs; waitedMs += POLL_INTERVAL_MS) {
      if (waitedMs % NOTIFY_REPEAT_MS === 0) await this.#bus?.notify(message);
      if (await isDone()) return;
      await new Promise<void>((resolve) => this.#clock.after(POLL_INTERVAL_MS, resolve));
    }
  }

  async resign(): Promise<void> {
    await this.#lease?.resign();
  }

  async close(): Promise<void> {
    this.#cancelNotification?.();
    this.trunkUsage.stop();
    await this.#bus?.close();
    await this.#lease?.stop();
    await this.#leaseDatabase.close();
    await this.database.close();
    this.#identity.close();
  }

  #onMessage(message: NodeMessage, duties: NodeDuties): void {
    switch (message.type) {
      case 'stored':
        if (message.nodeId !== this.id) duties.wake();
        return;
      case 'usage':
        if (message.nodeId !== this.id) this.trunkUsage.receive(message.nodeId, message.usage);
        return;
      case 'terminate':
        if (message.nodeId !== this.id) return;
        duties.terminate(message.callId).catch((error: unknown) => {
          this.#log.warn({ err: error, call_id: message.callId }, 'call termination for another node failed');
        });
        return;
      case 'order':
        if (message.nodeId !== this.id || !duties.isLive(message.callId)) return;
        this.#take(message, duties).catch((error: unknown) => {
          this.#log.warn({ err: error, call_id: message.callId }, 'live command of another node failed');
        });
        return;
      case 'trace':
        if (message.nodeId !== this.id) return;
        this.#answer(message).catch((error: unknown) => {
          this.#log.warn({ err: error, call_id: message.callId }, 'trace request of another node failed');
        });
    }
  }

  async #answer({ callId, requestId, trace }: Extract<NodeMessage, { type: 'trace' }>): Promise<void> {
    if (this.#answerTrace === null || this.#answered.has(requestId)) return;
    this.#answered.add(requestId);
    const [oldest] = this.#answered;
    if (this.#answered.size > ANSWERED_MAX && oldest !== undefined) this.#answered.delete(oldest);
    try {
      await this.repositories.nodeAnswers.put(requestId, await this.#answerTrace(callId, trace));
    } catch (error) {
      this.#answered.delete(requestId);
      throw error;
    }
  }

  async #take({ callId, orderId }: Extract<NodeMessage, { type: 'order' }>, { post }: NodeDuties): Promise<void> {
    const request = await this.repositories.nodeCommands.take(orderId);
    if (request !== null) post(callId, request);
  }

  /** A lost notification is compensated by polling. */
  #notify(message: NodeMessage): void {
    this.#bus?.notify(message).catch((error: unknown) => this.#log.warn({ err: error }, 'node notification failed'));
  }
}
