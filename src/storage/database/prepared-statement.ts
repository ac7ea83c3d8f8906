import { type Compilable, type Kysely, type RawBuilder, sql } from 'kysely';
import type { SqlValue, StatementResult, WireStatement } from '../link/database-link.ts';
import { queryResult } from '../link/query-result.ts';
import { sqlValue } from '../link/wire-statement.ts';
import type { Tables } from '../schema/tables.ts';

/** The values of one run, by slot. */
type Values<V> = { readonly [Name in keyof V]: SqlValue };

/** The place of a value that a statement gets at each run. */
export type SlotOf<V> = <Name extends keyof V & string>(name: Name) => RawBuilder<V[Name]>;

type Build<V, R> = (query: Kysely<Tables>, slot: SlotOf<V>) => Compilable<R>;

/** Marks the place of a value among the parameters of a compiled query. */
class Slot {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

interface Compiled {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/**
 * A statement of a hot path. Kysely writes its SQL at the first run on a database; a later run only fills in the values. The
 * constants of the query stay parameters or literals, as Kysely wrote them.
 *
 *     const FIND = prepared<{ id: string }>()((query, slot) =>
 *       query.selectFrom('calls').selectAll().where('id', '=', slot('id')));
 *     const [call] = await database.rows(FIND.with({ id }));
 */
export class PreparedStatement<V extends Values<V>, R> {
  readonly #build: Build<V, R>;
  readonly #compiled = new WeakMap<Kysely<Tables>, Compiled>();

  constructor(build: Build<V, R>) {
    this.#build = build;
  }

  with(values: V): BoundStatement<R> {
    return new BoundStatement((query, mustChange) => {
      const { sql: text, parameters } = this.#compiledFor(query);
      const filled = parameters.map((value) =>
        sqlValue(value instanceof Slot ? Reflect.get(values, value.name) : value),
      );
      return { sql: text, parameters: filled, mustChange, isPrepared: true };
    });
  }

  #compiledFor(query: Kysely<Tables>): Compiled {
    const known = this.#compiled.get(query);
    if (known !== undefined) return known;
    const compiled = this.#build(query, (name) => sql`${new Slot(name)}`).compile();
    this.#compiled.set(query, compiled);
    return compiled;
  }
}

/** A `PreparedStatement` whose values have the type `V`; the second call infers the type of its rows. */
export function prepared<V extends Values<V>>(): <R>(build: Build<V, R>) => PreparedStatement<V, R> {
  return (build) => new PreparedStatement(build);
}

/** A prepared statement with its values. */
export class BoundStatement<R> {
  readonly wire: (query: Kysely<Tables>, mustChange: boolean) => WireStatement;

  constructor(wire: (query: Kysely<Tables>, mustChange: boolean) => WireStatement) {
    this.wire = wire;
  }

  rows(result: StatementResult): readonly R[] {
    return queryResult<R>(result).rows;
  }
}

/** Variants of one statement that are kept; the callers write about twenty. One more is compiled at each run. */
const VARIANTS_MAX = 200;

/** Statements whose SQL depends on the columns that they set or on their conditions: one is prepared for each variant. */
export class PreparedVariants<Variant, V extends Values<V>, R> {
  readonly #build: (variant: Variant) => PreparedStatement<V, R>;
  readonly #statements = new Map<string, PreparedStatement<V, R>>();

  constructor(build: (variant: Variant) => PreparedStatement<V, R>) {
    this.#build = build;
  }

  /** `variant` holds constants of the code, as JSON: no value of a call. */
  of(variant: Variant): PreparedStatement<V, R> {
    const key = JSON.stringify(variant);
    const known = this.#statements.get(key);
    if (known !== undefined) return known;
    const statement = this.#build(variant);
    if (this.#statements.size < VARIANTS_MAX) this.#statements.set(key, statement);
    return statement;
  }
}
