import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { commitGroup } from '../../../../src/storage/sqlite/group-commit.ts';
import { SqliteConnection } from '../../../../src/storage/sqlite/sqlite-connection.ts';
import { temporaryFolder } from '../temporary-database.ts';

async function connection(): Promise<{ open: SqliteConnection; dataDir: string }> {
  const dataDir = await temporaryFolder();
  const open = new SqliteConnection({ role: 'writer', dataDir });
  onTestFinished(() => open.close());
  open.exec('CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT)');
  return { open, dataDir };
}

function insert(id: number, body = 'x') {
  return { sql: 'INSERT INTO notes VALUES (?, ?)', parameters: [id, body], mustChange: false };
}

it('each batch of a group has its own result', async () => {
  const { open } = await connection();
  const answers = commitGroup(open, [
    { id: 1, statements: [insert(1)] },
    { id: 2, statements: [insert(2), insert(1)] },
    { id: 3, statements: [insert(3), { sql: 'DELETE FROM notes WHERE id = 99', parameters: [], mustChange: true }] },
    { id: 4, statements: [insert(4)] },
  ]);
  expect(answers.map((answer) => ('id' in answer ? [answer.id, answer.type] : null))).toEqual([
    [1, 'done'],
    [2, 'refused'],
    [3, 'done'],
    [4, 'done'],
  ]);
  expect(answers[1]).toMatchObject({ fault: 'constraint' });
  expect(answers[2]).toMatchObject({ results: null });
  const all = open.run({ sql: 'SELECT id FROM notes ORDER BY id', parameters: [], mustChange: false });
  expect(all.rows.map(({ id }) => id)).toEqual([1, 4]);
});

it('a full disk fails the whole group without a write, and later groups succeed', async () => {
  const { open, dataDir } = await connection();
  const pages = open.run({ sql: 'PRAGMA page_count', parameters: [], mustChange: false }).rows[0]?.page_count;
  open.exec(`PRAGMA max_page_count = ${Number(pages) + 1}`);
  const answers = commitGroup(open, [
    { id: 1, statements: [insert(1)] },
    { id: 2, statements: [insert(2, 'x'.repeat(1_000_000))] },
  ]);
  expect(answers).toContainEqual(expect.objectContaining({ id: 2, type: 'refused', fault: 'full' }));
  expect(open.inTransaction).toBe(false);
  open.exec('PRAGMA max_page_count = 1000000');
  expect(commitGroup(open, [{ id: 3, statements: [insert(3)] }])).toMatchObject([{ id: 3, type: 'done' }]);
  const other = new DatabaseSync(join(dataDir, 'trunkline.db'), { readOnly: true });
  onTestFinished(() => other.close());
  const ids = other.prepare('SELECT id FROM notes ORDER BY id').all();
  expect(ids.map(({ id }) => id)).toEqual(answers[0]?.type === 'done' ? [1, 3] : [3]);
});
