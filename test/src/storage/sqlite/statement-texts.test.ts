import { expect, it } from 'vitest';
import type { WireStatement } from '../../../../src/storage/link/database-link.ts';
import { ReceivedTexts, SentTexts } from '../../../../src/storage/sqlite/statement-texts.ts';

const prepared = (sql: string, parameter: number): WireStatement => ({
  sql,
  parameters: [parameter],
  mustChange: parameter === 2,
  isPrepared: true,
});

it('sends the SQL of a prepared statement once, and the worker knows it at each run', () => {
  const sent = new SentTexts();
  const received = new ReceivedTexts();
  const statements = [prepared('A ?', 1), prepared('B ?', 2), prepared('A ?', 3), prepared('B ?', 4)];
  const messages = statements.map((statement) => sent.encode(statement));
  expect(messages.map(({ sql }) => sql)).toEqual(['A ?', 'B ?', null, null]);
  expect(messages.map((message) => received.decode(message))).toEqual(
    statements.map(({ mustChange, parameters, sql }) => ({ sql, parameters, mustChange })),
  );
});

it('sends the SQL of any other statement at each run, and keeps none of it', () => {
  const sent = new SentTexts();
  const statement = { sql: 'A', parameters: [], mustChange: false };
  expect([sent.encode(statement), sent.encode(statement)]).toEqual([
    { ...statement, number: null },
    { ...statement, number: null },
  ]);
  expect(new ReceivedTexts().decode({ ...statement, number: null })).toEqual(statement);
});

it('refuses a number whose SQL was never sent', () => {
  const unknown = { number: 0, sql: null, parameters: [], mustChange: false };
  expect(() => new ReceivedTexts().decode(unknown)).toThrow('the SQL of statement 0 was never sent');
});
