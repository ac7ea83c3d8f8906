import type { CompiledQuery } from 'kysely';
import { DatabaseError } from './database-error.ts';
import type { SqlValue, WireStatement } from './database-link.ts';
import { storableText } from './storable-text.ts';

/** A compiled query as a link takes it. */
export function wireStatement(query: CompiledQuery, mustChange = false): WireStatement {
  return { sql: query.sql, parameters: query.parameters.map(sqlValue), mustChange };
}

/** @throws DatabaseError for a value of another type */
export function sqlValue(value: unknown): SqlValue {
  if (value === null || typeof value === 'number' || typeof value === 'bigint') return value;
  if (typeof value === 'string') return storableText(value);
  // Kysely's introspection compares with booleans. Both databases take 0 and 1 for them.
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Uint8Array) return value;
  throw new DatabaseError('failed', `A value of type ${typeof value} cannot be stored`);
}
