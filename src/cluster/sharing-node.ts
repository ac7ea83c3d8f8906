import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/time/clock.ts';
import type { LiveRequest } from '../../engine/core/event.ts';
import type { Log } from '../log/log.ts';
import type { CallRecord } from '../storage/calls/call-record.ts';
import { type NodeMessage, PostgresBus } from '../storage/cluster/node-bus.ts';
import type { ReportSubject } from '../storage/cluster/node-report-repository.ts';
import { createNodeRepository } from '../storage/cluster/node-repository.ts';
import type { Database } from '../storage/database/database.ts';
import { createRepositories, type Repositories } from '../storage/repositories.ts';
import { isFinal } from '../storage/schema/call-status.ts';
import { leaderRepositories } from './leader-repositories.ts';
import type { EndOutcome, NodeDuties, PostOutcome, ThisNode, TraceKind } from './node.ts';
import type { NodeIdentity } from './node-identity.ts';
import { LEASE_MS, NodeLease } from './node-lease.ts';
import { type AnswerQuestion, type NodeQuestion, NodeQuestions } from './node-questions.ts';
import { type NodeReport, NodeReports } from './node-reports.ts';
import { SharedUsage } from './shared-usage.ts';

/** Minimum interval of notifications about stored data and trunks, ms. */
const NOTIFY_INTERVAL_MS = 250;
/** Calls that a notification names; beyond it, it names none. PostgreSQL takes 8,000 bytes, and an id has 39. */
const NOTIFIED_CALLS_MAX = 150;
/** Time that another node has to end its call, ms: the same as for a call of this node. */
const END_WAIT_MS = 10_000;
/** Time that another node has to accept a request for its call, ms. */
const ACCEPT_WAIT_MS = 3_000;
const POLL_INTERVAL_MS = 50;
/** Repeats the notification, because a reconnecting node misses it. Repeating has no further effect. */
const NOTIFY_REPEAT_MS = 1_000;
/** Time that other nodes have to answer a question to all of them, ms. The response goes without one that stands still. */
const ANSWER_WAIT_MS = 1_000;

/** One of several nodes that share a PostgreSQL database. */
export class SharingNode implements ThisNode {
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
  #reports: NodeReports | null = null;
  readonly #questions: NodeQuestions;
  /** The calls that the next notification about stored data names; null: any call. */
  #storedCalls: Set<string> | null = new Set();
  /** Notifications that are scheduled. */
  readonly #scheduled = new Map<'stored' | 'trunks', () => void>();

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
    this.#questions = new NodeQuestions({
      nodeId: this.id,
      answers: this.repositories.nodeAnswers,
      notify: async (message) => this.#bus?.notify(message),
      clock,
      log,
    });
  }

  async isAlone(): Promise<boolean> {
    return !(await this.repositories.nodes.hasOthers(this.id));
  }

  async join(duties: NodeDuties): Promise<void> {
    const reports = new NodeReports({
      nodeId: this.id,
      repository: this.repositories.nodeReports,
      collect: duties.reports,
      clock: this.#clock,
      log: this.#log,
    });
    this.#reports = reports;
    const { startId } = this.#identity;
    const nodes = createNodeRepository(this.#leaseDatabase);
    this.#lease = new NodeLease({
      nodeId: this.id,
      nodes: {
        ...nodes,
        renew: (nodeId, leaseMs) => nodes.renew(nodeId, leaseMs, startId),
        leave: (nodeId) => nodes.leave(nodeId, startId),
        orphanedCalls: () => this.repositories.nodes.orphanedCalls(),
      },
      clock: this.#clock,
      log: this.#log,
      onLost: async (call) => {
        await duties.closeOrphaned(call);
        duties.wake([call.id]);
        this.notifyStored(call.id);
      },
      onBeat: async () => {
        this.trunkUsage.repeat();
        await duties.expireStaged();
        await duties.syncRegistrations();
        await reports.store();
        if (this.leads()) await this.#removeOld();
      },
      onLead: () => duties.wake(null),
      onExpiring: duties.endCalls,
      onRegained: () => {
        reports.forget();
        return duties.endAdopted();
      },
    });
    await this.#lease.start();
    this.#bus = await PostgresBus.open(this.#url, this.database, (message) => this.#onMessage(message, duties));
    // The others learn that there is one more.
    this.notifyStored(null);
  }

  leads(): boolean {
    return this.#lease?.leads ?? false;
  }

  holdsLease(): boolean {
    return this.#lease?.holds ?? true;
  }

  notifyStored(callId: string | null): void {
    if (callId === null || (this.#storedCalls?.size ?? 0) >= NOTIFIED_CALLS_MAX) this.#storedCalls = null;
    else this.#storedCalls?.add(callId);
    this.#schedule('stored', () => {
      const callIds = this.#storedCalls;
      this.#storedCalls = new Set();
      return { type: 'stored', nodeId: this.id, ...(callIds !== null && { callIds: [...callIds] }) };
    });
  }

  notifyTrunks(): void {
    this.#schedule('trunks', () => ({ type: 'trunks', nodeId: this.id }));
  }

  #schedule(type: 'stored' | 'trunks', message: () => NodeMessage): void {
    if (this.#scheduled.has(type)) return;
    const cancel = this.#clock.after(NOTIFY_INTERVAL_MS, () => {
      this.#scheduled.delete(type);
      this.#notify(message());
    });
    this.#scheduled.set(type, cancel);
  }

  async endElsewhere(call: CallRecord): Promise<EndOutcome> {
    const { nodes } = this.repositories;
    const { nodeId } = call;
    if (nodeId === null || nodeId === this.id || call.status === 'staged') return 'not_elsewhere';
    if (!(await nodes.isAlive(nodeId))) return 'not_elsewhere';
    const message = { type: 'terminate', nodeId, callId: call.id } as const;
    return (await this.#notifyUntil(message, () => this.#hasEnded(call.id), END_WAIT_MS)) ? 'ended' : 'not_ended';
  }

  async postElsewhere({ id: callId, nodeId }: CallRecord, request: LiveRequest): Promise<PostOutcome> {
    const { nodes, nodeCommands } = this.repositories;
    if (nodeId === null || nodeId === this.id) return 'not_in_progress';
    if (!(await nodes.isAlive(nodeId))) return 'not_taken';
    const commandId = randomUUID();
    const isDone = async () => (await nodeCommands.isTaken(commandId)) || this.#hasEnded(callId);
    try {
      await nodeCommands.put(commandId, request);
      await this.#notifyUntil({ type: 'command', nodeId, callId, commandId }, isDone, ACCEPT_WAIT_MS);
    } catch (error) {
      // Its text must not stay in the database.
      await nodeCommands.take(commandId).catch(() => null);
      throw error;
    }
    // A withdrawn request cannot reach the call any more.
    if ((await nodeCommands.take(commandId)) === null) return 'posted';
    return (await this.#hasEnded(callId)) ? 'not_in_progress' : 'not_taken';
  }

  async traceElsewhere(
    { id, nodeId }: Pick<CallRecord, 'id' | 'nodeId'>,
    trace: TraceKind,
  ): Promise<Uint8Array | null | 'not_taken'> {
    // A node that has died has no memory of its calls.
    if (nodeId === null || nodeId === this.id || !(await this.repositories.nodes.isAlive(nodeId))) return null;
    const body = await this.#questions.ask(nodeId, { subject: trace, id }, ACCEPT_WAIT_MS);
    return body === undefined ? 'not_taken' : body;
  }

  async askOthers(question: NodeQuestion): Promise<readonly unknown[]> {
    if (this.#lease?.isAlone !== false) return [];
    const others = (await this.repositories.nodes.alive()).filter((nodeId) => nodeId !== this.id);
    const answers = others.map(async (nodeId) => {
      const body = await this.#questions.ask(nodeId, question, ANSWER_WAIT_MS);
      if (body === undefined) this.#log.warn({ node_id: nodeId, subject: question.subject }, 'node did not answer');
      return body === undefined || body === null ? [] : [JSON.parse(Buffer.from(body).toString('utf8'))];
    });
    return (await Promise.all(answers)).flat();
  }

  answer(subject: NodeQuestion['subject'], answer: AnswerQuestion): void {
    this.#questions.answer(subject, answer);
  }

  async reportsOfOthers(subject: ReportSubject, keys?: readonly string[]): Promise<readonly NodeReport[]> {
    if (this.#reports === null || this.#lease?.isAlone !== false) return [];
    return this.#reports.ofOthers(subject, keys);
  }

  reportSoon(): void {
    this.#reports?.wake();
  }

  /** Contents of calls whose sender or receiver has died, and what is left of nodes and limits. */
  async #removeOld(): Promise<void> {
    const { nodeAnswers, nodeCommands, nodeReports, sharedLimits } = this.repositories;
    await Promise.all([
      nodeAnswers.removeOld(),
      nodeCommands.removeOld(),
      nodeReports.removeOld(),
      sharedLimits.removeOld(),
    ]);
  }

  async #hasEnded(callId: string): Promise<boolean> {
    const now = await this.repositories.calls.find(callId);
    return now === null || isFinal(now.status);
  }

  /** False: it was not done in time. */
  async #notifyUntil(message: NodeMessage, isDone: () => Promise<boolean>, waitMs: number): Promise<boolean> {
    for (let waitedMs = 0; waitedMs < waitMs; waitedMs += POLL_INTERVAL_MS) {
      if (waitedMs % NOTIFY_REPEAT_MS === 0) await this.#bus?.notify(message);
      if (await isDone()) return true;
      await new Promise<void>((resolve) => this.#clock.after(POLL_INTERVAL_MS, resolve));
    }
    return isDone();
  }

  async resign(): Promise<void> {
    await this.#lease?.resign();
  }

  async close(): Promise<void> {
    for (const cancel of this.#scheduled.values()) cancel();
    this.trunkUsage.stop();
    await this.#bus?.close();
    await this.#reports?.stop();
    await this.#lease?.stop();
    await this.#leaseDatabase.close();
    await this.database.close();
    this.#identity.close();
  }

  #onMessage(message: NodeMessage, duties: NodeDuties): void {
    if (isFromOther(message, this.id)) this.#lease?.sawOther();
    switch (message.type) {
      case 'stored':
        if (message.nodeId !== this.id) duties.wake(message.callIds ?? null);
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
      case 'command':
        if (message.nodeId !== this.id || !duties.isLive(message.callId)) return;
        this.#take(message, duties).catch((error: unknown) => {
          this.#log.warn({ err: error, call_id: message.callId }, 'live command of another node failed');
        });
        return;
      case 'question':
        if (message.nodeId === this.id) void this.#questions.receive(message);
        return;
      case 'answered':
        if (message.nodeId === this.id) this.#questions.answered(message.requestId);
        return;
      case 'trunks':
        if (message.nodeId === this.id) return;
        duties.reloadTrunks().catch((error: unknown) => {
          this.#log.warn({ err: error }, 'trunk reload for another node failed');
        });
    }
  }

  async #take({ callId, commandId }: Extract<NodeMessage, { type: 'command' }>, { post }: NodeDuties): Promise<void> {
    const request = await this.repositories.nodeCommands.take(commandId);
    if (request !== null) post(callId, request);
  }

  /** A lost notification is compensated by polling. */
  #notify(message: NodeMessage): void {
    this.#bus?.notify(message).catch((error: unknown) => this.#log.warn({ err: error }, 'node notification failed'));
  }
}

/** Requests name the node that they are for; the others name the one that sent them. A new connection delivers one without a name. */
function isFromOther(message: NodeMessage, ownId: string): boolean {
  const isNews = message.type === 'stored' || message.type === 'usage' || message.type === 'trunks';
  return isNews && message.nodeId !== '' && message.nodeId !== ownId;
}
