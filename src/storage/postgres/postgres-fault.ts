import pg from 'pg';
import { DatabaseError, type DatabaseFault } from '../link/database-error.ts';

/** Classes and codes of SQLSTATE: https://www.postgresql.org/docs/15/errcodes-appendix.html. The longest that fits counts. */
const FAULTS: { readonly [codeOrClass: string]: DatabaseFault } = {
  '23': 'constraint',
  /** Too many connections. */
  '53300': 'overloaded',
  '53': 'full',
  /** Serialization failure and deadlock: others were at the same rows. */
  '40': 'overloaded',
  /** Lock not available in time. */
  '55P03': 'overloaded',
  /** A statement that took too long. */
  '57014': 'overloaded',
  /** Shutdown, crash, starting up. */
  '57P': 'unavailable',
  /** Connection exceptions. */
  '08': 'unavailable',
  /** Asked to write, the server is a standby (a fail-over under way). */
  '25006': 'unavailable',
};

/** Errors after which the server has undone the batch because of another that ran beside it: the same batch may go through now. */
export function isCollision(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === '40001' || error.code === '40P01');
}

/** Whether the connection is gone, so that it is of no use to anyone else, and what was under way is not known. */
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
