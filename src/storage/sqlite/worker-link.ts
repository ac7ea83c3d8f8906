import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { backoff } from '../../../base/time/backoff.ts';
import { DatabaseError } from '../link/database-error.ts';
import type { DatabaseLink, StatementResult, WireStatement } from '../link/database-link.ts';
import { SentTexts } from './statement-texts.ts';
import type { Batch, BatchAnswer, WorkerAnswer, WorkerRequest, WorkerSettings } from './worker-protocol.ts';

/** Requests in progress; one more is refused at once. At 1,000 writes a second this is ten seconds of a stuck disk. */
const PENDING_MAX = 10_000;
/** Batches of one message; more of the same tick follow in another. Bounds what the worker clones at once. */
const MESSAGE_MAX = 100;
/** Delay before a crashed worker is started again, doubled for each crash without an answer in between. */
const RESTART_DELAY_MS = { first: 100, max: 5_000 };
/** Heap for the rows of one answer and prepared statements. A query that needs more kills its worker, not the process. */
const HEAP_MB_MAX = 256;

export type StartWorker = (settings: WorkerSettings) => Worker;

interface Pending {
  resolve(results: readonly StatementResult[] | null): void;
  reject(error: DatabaseError): void;
}

/**
 * The main thread's end of one database worker. When the worker crashes, its requests are refused as `unavailable` and another
 * worker is started.
 */
export class WorkerLink implements DatabaseLink {
  readonly #settings: WorkerSettings;
  readonly #start: StartWorker;
  readonly #pending = new Map<number, Pending>();
  /** Batches of this tick: one message carries them all. */
  #unsent: Batch[] = [];
  #worker: Worker | null = null;
  /** Of the present worker. */
  #texts = new SentTexts();
  #nextId = 0;
  #closed = false;
  #exits = 0;
  #restart: NodeJS.Timeout | null = null;

  constructor(settings: WorkerSettings, start: StartWorker) {
    this.#settings = settings;
    this.#start = start;
  }

  /** Resolves once the database is open. Rejects with a `DatabaseError` if it cannot be opened. */
  static async open(settings: WorkerSettings, start: StartWorker = startWorker): Promise<WorkerLink> {
    const link = new WorkerLink(settings, start);
    try {
      await new Promise<void>((resolve, reject) => link.#spawn({ resolve, reject }));
    } catch (error) {
      await link.close();
      throw error;
    }
    return link;
  }

  run(statements: readonly WireStatement[]): Promise<readonly StatementResult[] | null> {
    return this.#request((id) => {
      this.#unsent.push({ id, statements });
      if (this.#unsent.length === 1) setImmediate(() => this.#send());
      else if (this.#unsent.length === MESSAGE_MAX) this.#send();
    });
  }

  /** Runs one statement by itself, so that a migration can hold a transaction over several. */
  async execute(statement: WireStatement): Promise<StatementResult> {
    const results = await this.#request((id) => this.#post({ type: 'execute', id, statement }));
    return results?.[0] ?? { rows: [], changes: 0 };
  }

  get requests(): number {
    return this.#pending.size;
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#restart !== null) clearTimeout(this.#restart);
    const worker = this.#worker;
    if (worker === null) return;
    const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    this.#send();
    this.#post({ type: 'close' });
    await exited;
  }

  #request(submit: (id: number) => void): Promise<readonly StatementResult[] | null> {
    if (this.#worker === null) {
      return Promise.reject(new DatabaseError('unavailable', 'The database is not open'));
    }
    if (this.#pending.size >= PENDING_MAX) {
      return Promise.reject(new DatabaseError('overloaded', `${PENDING_MAX} database requests are waiting already`));
    }
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      submit(id);
    });
  }

  #send(): void {
    const batches = this.#unsent;
    if (batches.length === 0) return;
    this.#unsent = [];
    this.#post({
      type: 'run',
      batches: batches.map(({ id, statements }) => ({
        id,
        statements: statements.map((one) => this.#texts.encode(one)),
      })),
    });
  }

  /** Every parameter is a `SqlValue`, so the message can be cloned. */
  #post(request: WorkerRequest): void {
    this.#worker?.postMessage(request);
  }

  #spawn(opening: { resolve(): void; reject(error: DatabaseError): void } | null): void {
    const worker = this.#start(this.#settings);
    this.#worker = worker;
    this.#texts = new SentTexts();
    let cause = 'it ended by itself';
    worker.on('message', (answer: WorkerAnswer) => {
      if (answer.type === 'opened') {
        opening?.resolve();
      } else if (answer.type === 'open_failed') {
        cause = answer.message;
        opening?.reject(new DatabaseError(answer.fault, answer.message));
      } else {
        this.#exits = 0;
        for (const settled of answer.answers) this.#settle(settled);
      }
    });
    worker.on('error', (error) => {
      cause = error instanceof Error ? error.message : String(error);
    });
    worker.on('exit', () => {
      const error = new DatabaseError('unavailable', `The database ${this.#settings.role} is gone: ${cause}`);
      this.#worker = null;
      this.#unsent = [];
      opening?.reject(error);
      for (const pending of this.#pending.values()) pending.reject(error);
      this.#pending.clear();
      this.#startAgain();
    });
  }

  #startAgain(): void {
    if (this.#closed) return;
    const delayMs = backoff(RESTART_DELAY_MS, this.#exits);
    this.#exits += 1;
    this.#restart = setTimeout(() => {
      try {
        this.#spawn(null);
      } catch {
        // The system has no thread left right now. The delay grows with each try.
        this.#startAgain();
      }
    }, delayMs);
    this.#restart.unref();
  }

  #settle(answer: BatchAnswer): void {
    const pending = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    if (answer.type === 'done') pending?.resolve(answer.results);
    else pending?.reject(new DatabaseError(answer.fault, answer.message));
  }
}

/** The worker has the extension of this file: `.ts` in the sources, `.js` in the build. */
export function startWorker(settings: WorkerSettings): Worker {
  const file = new URL(`./database-worker${extname(import.meta.url)}`, import.meta.url);
  return new Worker(file, {
    workerData: settings,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
    // The kernel shows 15 characters.
    name: `db-${settings.role}`,
  });
}
