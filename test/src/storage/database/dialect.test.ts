import { expect, it } from 'vitest';
import { linkedQueries } from '../../../../src/storage/database/dialect.ts';
import type { DatabaseKind, DatabaseLink } from '../../../../src/storage/link/database-link.ts';

/** Counts the queries that wait; none is answered. */
class SilentLink implements DatabaseLink {
  waiting = 0;
  readonly requests = 0;

  async close(): Promise<void> {}

  run(): Promise<never> {
    this.waiting += 1;
    return new Promise(() => {});
  }
}

it.each<DatabaseKind>(['sqlite', 'postgres'])(
  'gives every query to its link at once, without waiting for another one (%s)',
  async (kind) => {
    const writer = new SilentLink();
    const reader = new SilentLink();
    const query = linkedQueries(kind, { writer, reader });
    for (let count = 0; count < 3; count++) {
      void query.deleteFrom('agents').execute();
      void query.selectFrom('agents').select('id').execute();
    }
    await expect.poll(() => [writer.waiting, reader.waiting]).toEqual([3, 3]);
  },
);
