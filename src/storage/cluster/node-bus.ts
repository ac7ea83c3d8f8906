import pg from 'pg';
import { z } from 'zod';
import type { Database } from '../database/database.ts';

/** All that nodes tell each other. What is lost on the way is found by looking: nothing rests on a message alone. */
const nodeMessage = z.discriminatedUnion('type', [
  /** Something was stored that others may wait for: events to deliver, work to do. */
  z.object({ type: z.literal('stored'), nodeId: z.string() }),
  /** The node that has the call is to end it. */
  z.object({ type: z.literal('terminate'), nodeId: z.string(), callId: z.string() }),
  /** The node that has the call is to take an order for it. */
  z.object({ type: z.literal('order'), nodeId: z.string(), callId: z.string(), orderId: z.string() }),
]);
export type NodeMessage = z.output<typeof nodeMessage>;

const CHANNEL = 'trunkline';
/** From the loss of the connection that listens to the next try, ms. */
const RECONNECT_MS = 1_000;
/** A connection that takes longer counts as failed, ms. */
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * LISTEN and NOTIFY of PostgreSQL, on a connection of its own that is made again for as long as the bus is open. After each
 * connection `stored` is heard once: something may have been said meanwhile.
 */
export class PostgresBus {
  readonly #url: string;
  readonly #database: Database;
  readonly #onMessage: (message: NodeMessage) => void;
  #client: pg.Client | null = null;
  #retry: NodeJS.Timeout | null = null;
  #closed = false;

  private constructor(url: string, database: Database, onMessage: (message: NodeMessage) => void) {
    this.#url = url;
    this.#database = database;
    this.#onMessage = onMessage;
  }

  /** Resolves once it listens. Rejects where the server cannot be reached. */
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

  /** To all nodes, this one too. Rejects with a `DatabaseError`. */
  async tell(message: NodeMessage): Promise<void> {
    const { query } = this.#database;
    const statement = query.selectNoFrom((eb) =>
      eb.fn<null>('pg_notify', [eb.val(CHANNEL), eb.val(JSON.stringify(message))]).as('told'),
    );
    await statement.execute();
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#retry !== null) clearTimeout(this.#retry);
    await this.#client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      application_name: 'trunkline bus',
    });
    client.on('error', () => {});
    client.on('end', () => this.#connectAgain());
    client.on('notification', ({ payload }) => this.#hear(payload));
    this.#client = client;
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
    } catch (error) {
      // One that is connected and cannot listen would stay open beside the next.
      client.end().catch(() => {});
      throw error;
    }
    this.#onMessage({ type: 'stored', nodeId: '' });
  }

  #connectAgain(): void {
    if (this.#closed || this.#retry !== null) return;
    this.#retry = setTimeout(() => {
      this.#retry = null;
      this.#connect().catch(() => this.#connectAgain());
    }, RECONNECT_MS);
    this.#retry.unref();
  }

  /** Other programs of the database may speak on the channel as well. */
  #hear(payload: string | undefined): void {
    try {
      const { success, data } = nodeMessage.safeParse(JSON.parse(payload ?? ''));
      if (success) this.#onMessage(data);
    } catch {
      // No JSON: none of ours.
    }
  }
}
