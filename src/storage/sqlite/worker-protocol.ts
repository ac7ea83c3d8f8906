import type { DatabaseFault } from '../link/database-error.ts';
import type { StatementResult, WireStatement } from '../link/database-link.ts';
import type { SentStatement } from './statement-texts.ts';

/** Messages between the main thread and the database workers. Plain data, cloned by the port. */

/**
 * The writer has the only connection of the service that writes. The reader's connection is read-only, so a slow query never
 * delays a commit. A guest is a command that writes beside the running service.
 */
export type WorkerRole = 'writer' | 'reader' | 'guest';

export interface WorkerSettings {
  readonly role: WorkerRole;
  /** Folder of the database; the writer creates it if missing. */
  readonly dataDir: string;
}

/** One transaction. */
export interface Batch {
  readonly id: number;
  readonly statements: readonly WireStatement[];
}

/** A transaction in a message. */
export interface SentBatch {
  readonly id: number;
  readonly statements: readonly SentStatement[];
}

export type WorkerRequest =
  /** All batches of one tick. */
  | { readonly type: 'run'; readonly batches: readonly SentBatch[] }
  /** One statement by itself, outside of any batch: the migration's, before other requests come. */
  | { readonly type: 'execute'; readonly id: number; readonly statement: WireStatement }
  | { readonly type: 'close' };

export interface WireFault {
  readonly fault: DatabaseFault;
  readonly message: string;
}

export type WorkerAnswer =
  | { readonly type: 'opened' }
  | ({ readonly type: 'open_failed' } & WireFault)
  /** The answers to the batches that ran together. */
  | { readonly type: 'answered'; readonly answers: readonly BatchAnswer[] };

export type BatchAnswer =
  /** `results` null: a statement with `mustChange` changed no row, and nothing was changed. */
  | { readonly type: 'done'; readonly id: number; readonly results: readonly StatementResult[] | null }
  | ({ readonly type: 'refused'; readonly id: number } & WireFault);
