import pg from 'pg';
import { DatabaseError, type DatabaseFault } from '../link/database-error.ts';

/** Classes and codes of SQLSTATE: https://www.postgresql.org/docs/15/errcodes-appendix.html. The longest match counts. */
const FAULTS: { readonly [codeOrClass: string]: DatabaseFault } = {
  '23': 'constraint',
  /** Too many connections. */
  '53300': 'overloaded',
  '53': 'full',
  /** Serialization failure and deadlock. */
  '40': 'overloaded',
  /** Lock not available in time. */
  '55P03': 'overloaded',
  /** Statement timeout. */
  '57014': 'overloaded',
  /** Shutdown, crash, starting up. */
  '57P': 'unavailable',
  /** Connection exceptions. */
  '08': 'unavailable',
  /** The password was changed. */
  '28': 'unavailable',
  /** The server is a standby: a failover is in progress. */
  '25006': 'unavailable',
};

/** Whether the server undid the batch because of a concurrent one: the same batch may succeed now. */
export function isCollision(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '40001' || error.code === '40P01');
}

/**
 * Whether a prepared `select *` was refused because a migration has added a column since: the server keeps the columns of its
 * first run. https://github.com/postgres/postgres/blob/REL_15_STABLE/src/backend/utils/cache/plancache.c
 */
export function isStalePlan(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '0A000' && error.message.startsWith('cached plan');
}

/** Whether the connection is lost, so that the outcome is unknown and the connection must not be used again. */
export function isConnectionLoss(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || /^(57P|08)/.test(error.code ?? '');
}

export function postgresError(error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof pg.DatabaseError)) return new DatabaseError('unavailable', message);
  const code = error.code ?? '';
  const fault = FAULTS[code] ?? FAULTS[code.slice(0, 3)] ?? FAULTS[code.slice(0, 2)] ?? 'failed';
  return new DatabaseError(fault, `${message} (${code})`);
}
