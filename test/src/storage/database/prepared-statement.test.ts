import { describe, expect, it } from 'vitest';
import { linkedQueries } from '../../../../src/storage/database/dialect.ts';
import { PreparedVariants, prepared } from '../../../../src/storage/database/prepared-statement.ts';
import { DatabaseError } from '../../../../src/storage/link/database-error.ts';
import type { DatabaseLink } from '../../../../src/storage/link/database-link.ts';
import { newCall, onEachDatabase, storeAgent } from '../temporary-database.ts';

const UNUSED_LINK: DatabaseLink = { run: async () => [], requests: 0, close: async () => {} };
const query = linkedQueries('sqlite', { writer: UNUSED_LINK, reader: UNUSED_LINK });

describe('a prepared statement', () => {
  it('is compiled once a database, and gets its values at each run', () => {
    let builds = 0;
    const rename = prepared<{ id: string; name: string }>()((built, slot) => {
      builds += 1;
      return built
        .updateTable('agents')
        .set({ name: slot('name'), active_version: 7 })
        .where('id', '=', slot('id'))
        .where('name', '<>', slot('name'));
    });
    const first = rename.with({ id: 'a', name: 'Ada' }).wire(query, true);
    expect(first.parameters).toEqual(['Ada', 7, 'a', 'Ada']);
    expect(first).toMatchObject({ mustChange: true, isPrepared: true });
    const second = rename.with({ id: 'b', name: 'Bo\0b' }).wire(query, false);
    expect(second.parameters).toEqual(['Bo\uFFFDb', 7, 'b', 'Bo\uFFFDb']);
    expect(second.sql).toBe(first.sql);
    expect(builds).toBe(1);
    rename
      .with({ id: 'a', name: 'Ada' })
      .wire(linkedQueries('postgres', { writer: UNUSED_LINK, reader: UNUSED_LINK }), false);
    expect(builds).toBe(2);
  });

  it('refuses a value that no database can store', () => {
    const find = prepared<{ id: string }>()((built, slot) =>
      built.selectFrom('agents').select('id').where('id', '=', slot('id')),
    );
    const values: { id: string } = JSON.parse('{"id":{"of":"nothing"}}');
    expect(() => find.with(values).wire(query, false)).toThrow(DatabaseError);
  });

  it('is built once for each variant', () => {
    const built: string[] = [];
    const statements = new PreparedVariants((column: 'id' | 'name') => {
      built.push(column);
      return prepared<{ value: string }>()((from, slot) =>
        from.selectFrom('agents').select('id').where(column, '=', slot('value')),
      );
    });
    const texts = (['id', 'name', 'id'] as const).map(
      (column) => statements.of(column).with({ value: 'x' }).wire(query, false).sql,
    );
    expect(built).toEqual(['id', 'name']);
    expect(texts[0]).toBe(texts[2]);
    expect(texts[0]).not.toBe(texts[1]);
  });
});

onEachDatabase((temporaryDatabase) => {
  it('prepared reads and writes see each other, also in a transaction', async () => {
    const database = await temporaryDatabase();
    const agentId = await storeAgent(database);
    const NAME = prepared<{ id: string }>()((built, slot) =>
      built.selectFrom('agents').select('name').where('id', '=', slot('id')),
    );
    const RENAME = prepared<{ id: string; name: string }>()((built, slot) =>
      built
        .updateTable('agents')
        .set({ name: slot('name') })
        .where('id', '=', slot('id')),
    );
    expect(await database.change(RENAME.with({ id: agentId, name: 'first' }))).toBe(1);
    expect(await database.change(RENAME.with({ id: newCall(agentId).id, name: 'nobody' }))).toBe(0);
    expect(await database.rows(NAME.with({ id: agentId }))).toEqual([{ name: 'first' }]);
    const renamed = { statement: RENAME.with({ id: agentId, name: 'second' }), mustChange: true } as const;
    const failed = { statement: RENAME.with({ id: newCall(agentId).id, name: 'nobody' }), mustChange: true } as const;
    expect(await database.atomically([renamed, failed])).toBe(false);
    expect(await database.rows(NAME.with({ id: agentId }))).toEqual([{ name: 'first' }]);
    expect(await database.atomically([renamed])).toBe(true);
    expect(await database.rows(NAME.with({ id: agentId }))).toEqual([{ name: 'second' }]);
  });
});
