import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '../../base/time/clock.ts';
import type { LiveRequest } from '../../engine/core/event.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { CallRecord } from '../storage/calls/call-record.ts';
import { type NodeMessage, PostgresBus } from '../storage/cluster/node-bus.ts';
import { type Database, openDatabase } from '../storage/database/database.ts';
import { createRepositories, type Repositories } from '../storage/repositories.ts';
import { isFinal } from '../storage/schema/call-status.ts';
import { leaderRepositories } from './leader-repositories.ts';
import { type NodeIdentity, takeNodeIdentity } from './node-identity.ts';
import { LEASE_MS, NodeLease } from './node-lease.ts';

/** Other nodes hear of what was stored so often at most, ms. */
const TELL_EVERY_MS = 250;
/** Another node has this long to end its call, ms: as long as one's own peer has to say goodbye. */
const END_WAIT_MS = 10_000;
/** And so long to take an order for one. */
const TAKE_WAIT_MS = 3_000;
const LOOK_EVERY_MS = 50;
/** A node whose connection was just being made again has heard nothing: the order is given anew, which changes nothing twice. */
const TELL_AGAIN_MS = 1_000;

/** What this node does when others say so, or are gone. */
export interface NodeDuties {
  /** Something was stored elsewhere, or the background work is this node's now. */
  readonly wake: () => void;
  /** Ends a call of this node. */
  readonly terminate: (callId: string) => Promise<void>;
  /** Whether a call lives on this node. */
  readonly isLive: (callId: string) => boolean;
  /** Puts an order into a call of this node. */
  readonly post: (callId: string, order: LiveRequest) => unknown;
  /** Ends a call of a node that is gone, once. */
  readonly closeOrphaned: (call: CallRecord) => Promise<unknown>;
  /** Ends staged calls whose time is over, whoever staged them. */
  readonly expireStaged: () => Promise<unknown>;
}

/** What became of an order: in the call, or the call is not in progress, or its node does not take it. */
export type PostOutcome = 'posted' | 'not_in_progress' | 'not_taken';

/** This process, and what it shares with others of the same database. */
export interface ThisNode {
  /** Null on SQLite, where there is no other. */
  readonly id: string | null;
  readonly database: Database;
  /** Background work stands in them only while it is this node's. */
  readonly repositories: Repositories;
  /** Whether no other node lives. */
  isAlone(): Promise<boolean>;
  /** From here on it hears the others. */
  join(duties: NodeDuties): Promise<void>;
  /** Tells the others soon; costs next to nothing. */
  notifyStored(): void;
  /** Has another node end its call, and waits for that. False: the call is this node's, or nobody's. */
  endElsewhere(call: CallRecord): Promise<boolean>;
  /** Has another node put an order into its call. */
  postElsewhere(call: CallRecord, order: LiveRequest): Promise<PostOutcome>;
  /** The last: gives its lease back and closes the database. */
  close(): Promise<void>;
}

/** Opens the database and, where it can be shared, says that this node lives. Rejects where either cannot be had. */
export async function openNode(
  configuration: Pick<Configuration, 'dataDir' | 'databaseUrl'>,
  clock: Clock,
  log: Pick<Logger, 'warn'>,
): Promise<ThisNode> {
  const { databaseUrl, dataDir } = configuration;
  if (databaseUrl === null) return nodeAlone(await openDatabase({ dataDir }));
  const identity = await takeNodeIdentity(dataDir);
  let database: Database | null = null;
  try {
    database = await openDatabase(configuration);
    const node = new SharingNode(identity, database, databaseUrl, clock, log);
    await node.repositories.nodes.renew(identity.id, LEASE_MS);
    return node;
  } catch (error) {
    await database?.close();
    identity.close();
    throw error;
  }
}

function nodeAlone(database: Database): ThisNode {
  return {
    id: null,
    database,
    repositories: createRepositories(database),
    isAlone: async () => true,
    join: async () => {},
    notifyStored: () => {},
    endElsewhere: async () => false,
    postElsewhere: async () => 'not_in_progress',
    close: () => database.close(),
  };
}

class SharingNode implements ThisNode {
  readonly id: string;
  readonly database: Database;
  readonly repositories: Repositories;
  readonly #identity: NodeIdentity;
  readonly #url: string;
  readonly #clock: Clock;
  readonly #log: Pick<Logger, 'warn'>;
  #lease: NodeLease | null = null;
  #bus: PostgresBus | null = null;
  #telling: (() => void) | null = null;

  constructor(identity: NodeIdentity, database: Database, url: string, clock: Clock, log: Pick<Logger, 'warn'>) {
    this.id = identity.id;
    this.database = database;
    this.repositories = leaderRepositories(
      createRepositories(database, identity.id),
      () => this.#lease?.leads ?? false,
    );
    this.#identity = identity;
    this.#url = url;
    this.#clock = clock;
    this.#log = log;
  }

  async isAlone(): Promise<boolean> {
    return !(await this.repositories.nodes.hasOthers(this.id));
  }

  async join(duties: NodeDuties): Promise<void> {
    this.#lease = new NodeLease({
      nodeId: this.id,
      nodes: this.repositories.nodes,
      clock: this.#clock,
      log: this.#log,
      onLost: async (call) => {
        await duties.closeOrphaned(call);
        duties.wake();
      },
      onBeat: async () => {
        await duties.expireStaged();
      },
      onLead: duties.wake,
    });
    await this.#lease.start();
    this.#bus = await PostgresBus.open(this.#url, this.database, (message) => this.#hear(message, duties));
  }

  notifyStored(): void {
    this.#telling ??= this.#clock.after(TELL_EVERY_MS, () => {
      this.#telling = null;
      this.#tell({ type: 'stored', nodeId: this.id });
    });
  }

  async endElsewhere(call: CallRecord): Promise<boolean> {
    const { nodes } = this.repositories;
    const { nodeId } = call;
    if (nodeId === null || nodeId === this.id || call.status === 'staged') return false;
    if (!(await nodes.isAlive(nodeId))) return false;
    const order = { type: 'terminate', nodeId, callId: call.id } as const;
    await this.#tellUntil(order, () => this.#hasEnded(call.id), END_WAIT_MS);
    return true;
  }

  async postElsewhere({ id: callId, nodeId }: CallRecord, order: LiveRequest): Promise<PostOutcome> {
    const { nodes, nodeCommands } = this.repositories;
    if (nodeId === null || nodeId === this.id) return 'not_in_progress';
    if (!(await nodes.isAlive(nodeId))) return 'not_taken';
    const orderId = randomUUID();
    await nodeCommands.put(orderId, order, this.#clock.wallMs());
    const isDone = async () => (await nodeCommands.isTaken(orderId)) || this.#hasEnded(callId);
    await this.#tellUntil({ type: 'order', nodeId, callId, orderId }, isDone, TAKE_WAIT_MS);
    // Nobody puts it into the call any more once it is taken back.
    if ((await nodeCommands.take(orderId)) === null) return 'posted';
    return (await this.#hasEnded(callId)) ? 'not_in_progress' : 'not_taken';
  }

  async #hasEnded(callId: string): Promise<boolean> {
    const now = await this.repositories.calls.find(callId);
    return now === null || isFinal(now.status);
  }

  async #tellUntil(order: NodeMessage, isDone: () => Promise<boolean>, waitMs: number): Promise<void> {
    for (let waitedMs = 0; waitedMs < waitMs; waitedMs += LOOK_EVERY_MS) {
      if (waitedMs % TELL_AGAIN_MS === 0) await this.#bus?.tell(order);
      if (await isDone()) return;
      await new Promise<void>((resolve) => this.#clock.after(LOOK_EVERY_MS, resolve));
    }
  }

  async close(): Promise<void> {
    this.#telling?.();
    await this.#bus?.close();
    await this.#lease?.stop();
    await this.database.close();
    this.#identity.close();
  }

  #hear(message: NodeMessage, duties: NodeDuties): void {
    switch (message.type) {
      case 'stored':
        if (message.nodeId !== this.id) duties.wake();
        return;
      case 'terminate':
        if (message.nodeId !== this.id) return;
        duties.terminate(message.callId).catch((error: unknown) => {
          this.#log.warn({ err: error, call_id: message.callId }, 'a call could not be ended for another node');
        });
        return;
      case 'order':
        if (message.nodeId !== this.id || !duties.isLive(message.callId)) return;
        this.#take(message, duties).catch((error: unknown) => {
          this.#log.warn({ err: error, call_id: message.callId }, 'an order of another node could not be taken');
        });
    }
  }

  async #take({ callId, orderId }: Extract<NodeMessage, { type: 'order' }>, { post }: NodeDuties): Promise<void> {
    const order = await this.repositories.nodeCommands.take(orderId);
    if (order !== null) post(callId, order);
  }

  /** What is not heard is found by looking. */
  #tell(message: NodeMessage): void {
    this.#bus?.tell(message).catch((error: unknown) => this.#log.warn({ err: error }, 'other nodes were not notified'));
  }
}
