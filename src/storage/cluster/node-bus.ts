import pg from 'pg';
import { z } from 'zod';
import { withTimeout } from '../../../base/time/with-timeout.ts';
import type { Database } from '../database/database.ts';

/** What a node has in memory: traces of a call by its id, and what belongs to an organization by its id. */
export const QUESTION_SUBJECTS = [
  'ladder',
  'capture',
  'pcap',
  'forget',
  'activities',
  'refusals',
  'reachability',
] as const;
export type QuestionSubject = (typeof QUESTION_SUBJECTS)[number];

/** Messages between nodes. They only save time: each node also polls, so a lost message delays work and loses none. */
const nodeMessage = z.discriminatedUnion('type', [
  /** Events or background work were stored. `callIds`: the calls that the events belong to; absent: any call may have new ones. */
  z.object({ type: z.literal('stored'), nodeId: z.string(), callIds: z.array(z.string()).readonly().optional() }),
  /** The calls of a node under keys such as trunks. */
  z.object({
    type: z.literal('usage'),
    nodeId: z.string(),
    usage: z.array(z.tuple([z.string(), z.number()]).readonly()).readonly(),
  }),
  /** The node that runs the call must end it. */
  z.object({ type: z.literal('terminate'), nodeId: z.string(), callId: z.string() }),
  /** The node that runs the call must take a live command for it. */
  z.object({ type: z.literal('command'), nodeId: z.string(), callId: z.string(), commandId: z.string() }),
  /** The node must store its answer to the question of another one. */
  z.object({
    type: z.literal('question'),
    nodeId: z.string(),
    askedBy: z.string(),
    requestId: z.string(),
    subject: z.enum(QUESTION_SUBJECTS),
    id: z.string(),
  }),
  /** The answer that the node waits for is stored. */
  z.object({ type: z.literal('answered'), nodeId: z.string(), requestId: z.string() }),
  /** SIP trunks were changed. */
  z.object({ type: z.literal('trunks'), nodeId: z.string() }),
]);
export type NodeMessage = z.output<typeof nodeMessage>;

const CHANNEL = 'trunkline';
/** Has no effect on a connection that listens already. */
const LISTEN = `LISTEN ${CHANNEL}`;
/** Wait before the listening connection is opened again, ms. */
export const RECONNECT_MS = 1_000;
/** Interval of checks of the listening connection, ms. It only receives, so TCP notices the loss of its peer after two hours. */
export const CHECK_INTERVAL_MS = 3_000;
/** Without a response in this time, ms, the connection counts as dead. */
export const ANSWER_TIMEOUT_MS = 5_000;
/** Timeout of a connection attempt, ms. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Wait for the server to close the connection, ms: many round trips. A lost server never does, and TCP notices it after minutes. */
export const CLOSE_TIMEOUT_MS = 500;

/**
 * LISTEN and NOTIFY of PostgreSQL on its own connection, which is opened again when it is lost or no longer answers. Each new
 * connection delivers one `stored`, because messages may have been missed before it.
 */
export class PostgresBus {
  readonly #url: string;
  readonly #database: Database;
  readonly #onMessage: (message: NodeMessage) => void;
  #client: pg.Client | null = null;
  #retry: NodeJS.Timeout | null = null;
  #nextCheck: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(url: string, database: Database, onMessage: (message: NodeMessage) => void) {
    this.#url = url;
    this.#database = database;
    this.#onMessage = onMessage;
  }

  /** Resolves once the bus listens. Rejects if the server cannot be reached. */
  static async open(url: string, database: Database, onMessage: (message: NodeMessage) => void): Promise<PostgresBus> {
    const bus = new PostgresBus(url, database, onMessage);
    try {
      await bus.#connect();
    } catch (error) {
      await bus.close();
      throw error;
    }
    return bus;
  }

  /** Sends to all nodes, this one included. Rejects with a `DatabaseError`. */
  async notify(message: NodeMessage): Promise<void> {
    const { query } = this.#database;
    const statement = query.selectNoFrom((eb) =>
      eb.fn<null>('pg_notify', [eb.val(CHANNEL), eb.val(JSON.stringify(message))]).as('notified'),
    );
    await statement.execute();
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#cancelCheck();
    const client = this.#client;
    if (client === null) return;
    const ended = client.end().catch(() => {});
    await withTimeout(ended, CLOSE_TIMEOUT_MS, () => client.connection.stream.destroy());
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      keepAlive: true,
      application_name: 'trunkline bus',
    });
    client.on('error', () => {});
    client.on('end', () => {
      if (this.#client !== client) return;
      this.#cancelCheck();
      this.#connectAgain();
    });
    client.on('notification', ({ payload }) => this.#hear(payload));
    this.#client = client;
    try {
      await client.connect();
      await client.query(LISTEN);
    } catch (error) {
      // A connection that cannot listen would stay open beside the next one.
      client.end().catch(() => {});
      throw error;
    }
    this.#checkLater(client);
    this.#onMessage({ type: 'stored', nodeId: '' });
  }

  #checkLater(client: pg.Client): void {
    if (this.#closed) return;
    this.#nextCheck = setTimeout(() => {
      client.query(LISTEN).then(
        () => this.#checkLater(client),
        // Its end opens the next connection.
        () => void client.end().catch(() => {}),
      );
    }, CHECK_INTERVAL_MS);
    this.#nextCheck.unref();
  }

  #cancelCheck(): void {
    if (this.#nextCheck !== null) clearTimeout(this.#nextCheck);
  }

  #connectAgain(): void {
    if (this.#closed || this.#retry !== null) return;
    this.#retry = setTimeout(() => {
      this.#retry = null;
      this.#connect().catch(() => this.#connectAgain());
    }, RECONNECT_MS);
    this.#retry.unref();
  }

  /** Other programs may send on the channel too. */
  #hear(payload: string | undefined): void {
    try {
      const { success, data } = nodeMessage.safeParse(JSON.parse(payload ?? ''));
      if (success) this.#onMessage(data);
    } catch {
      // Not JSON, so not from a node.
    }
  }
}
