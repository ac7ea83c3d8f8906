import type { Logger } from 'pino';
import type { Clock } from '../../engine/ports/clock.ts';
import type { Configuration } from '../configuration.ts';
import { type CallRecord, isFinal } from '../storage/call-record.ts';
import { type Database, openDatabase } from '../storage/database.ts';
import { type NodeMessage, PostgresBus } from '../storage/node-bus.ts';
import { createRepositories, type Repositories } from '../storage/repositories.ts';
import { ledRepositories } from './led-repositories.ts';
import { type NodeIdentity, takeNodeIdentity } from './node-identity.ts';
import { LEASE_MS, NodeLease } from './node-lease.ts';

/** Other nodes hear of what was stored so often at most, ms. */
const TELL_EVERY_MS = 250;
/** Another node has this long to end its call, ms: as long as one's own peer has to say goodbye. */
const END_WAIT_MS = 10_000;
const LOOK_EVERY_MS = 100;
/** A node whose connection was just being made again has heard nothing: the order is given anew, which changes nothing twice. */
const ORDER_EVERY_MS = 1_000;

/** What this node does when others say so, or are gone. */
export interface NodeDuties {
  /** Something was stored elsewhere, or the background work is this node's now. */
  readonly wake: () => void;
  /** Ends a call of this node. */
  readonly terminate: (callId: string) => Promise<void>;
  /** Ends a call of a node that is gone, once. */
  readonly closeLost: (call: CallRecord) => Promise<unknown>;
  /** Ends staged calls whose time is over, whoever staged them. */
  readonly expireStaged: () => Promise<unknown>;
}

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
  tellStored(): void;
  /** Has another node end its call, and waits for that. False: the call is this node's, or nobody's. */
  endElsewhere(call: CallRecord): Promise<boolean>;
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
  try {
    const database = await openDatabase(configuration);
    const node = new SharingNode(identity, database, databaseUrl, clock, log);
    await node.repositories.nodes.renew(identity.id, LEASE_MS);
    return node;
  } catch (error) {
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
    tellStored: () => {},
    endElsewhere: async () => false,
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
    this.repositories = ledRepositories(createRepositories(database, identity.id), () => this.#lease?.leads ?? false);
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
        await duties.closeLost(call);
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

  tellStored(): void {
    this.#telling ??= this.#clock.after(TELL_EVERY_MS, () => {
      this.#telling = null;
      this.#tell({ type: 'stored', nodeId: this.id });
    });
  }

  async endElsewhere(call: CallRecord): Promise<boolean> {
    const { calls, nodes } = this.repositories;
    const { nodeId } = call;
    if (nodeId === null || nodeId === this.id || call.status === 'staged') return false;
    if (!(await nodes.isAlive(nodeId))) return false;
    for (let waitedMs = 0; waitedMs < END_WAIT_MS; waitedMs += LOOK_EVERY_MS) {
      if (waitedMs % ORDER_EVERY_MS === 0) await this.#bus?.tell({ type: 'terminate', nodeId, callId: call.id });
      const now = await calls.find(call.id);
      if (now === null || isFinal(now.status)) break;
      await new Promise<void>((resolve) => this.#clock.after(LOOK_EVERY_MS, resolve));
    }
    return true;
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
    }
  }

  /** What is not heard is found by looking. */
  #tell(message: NodeMessage): void {
    this.#bus?.tell(message).catch((error: unknown) => this.#log.warn({ err: error }, 'other nodes were not told'));
  }
}
