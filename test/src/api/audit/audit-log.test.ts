import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { SimulatedClock } from '../../../../base/time/simulated-clock.ts';
import { AuditLog } from '../../../../src/api/audit/audit-log.ts';
import type { AuditRecord } from '../../../../src/storage/access/audit-log-repository.ts';
import { DatabaseError } from '../../../../src/storage/link/database-error.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const START_MS = 100 * DAY_MS;

function record(): AuditRecord {
  const ids = { id: randomUUID(), organizationId: 'o', keyId: null, targetId: null };
  return { ...ids, atMs: START_MS, action: 'getCall', address: '192.0.2.7', status: 200 };
}

function auditLog() {
  const clock = new SimulatedClock(START_MS);
  const stored: AuditRecord[] = [];
  const deleted: number[] = [];
  const events: string[] = [];
  const state = { isUnreachable: false };
  const repository = {
    append: async (records: readonly AuditRecord[]) => {
      if (state.isUnreachable) throw new DatabaseError('unavailable', 'the database does not respond');
      if (records.some(({ organizationId }) => organizationId !== 'o'))
        throw new DatabaseError('constraint', 'there is no such organization');
      stored.push(...records);
    },
    deleteBefore: async (atMs: number) => void deleted.push(atMs),
  };
  const log = new AuditLog({
    repository,
    clock,
    days: 30,
    log: { error: (_fields, event) => void events.push(event) },
  });
  return { clock, deleted, events, log, state, stored };
}

it('keeps records while the database does not respond, and stores each once', async () => {
  const { events, log, state, stored } = auditLog();
  state.isUnreachable = true;
  const records = Array.from({ length: 250 }, record);
  for (const one of records) log.add(one);
  await log.stored();
  expect(stored).toEqual([]);
  expect(events).toEqual(['audit log write failed']);
  state.isUnreachable = false;
  await log.close();
  expect(stored).toEqual(records);
});

it('drops a record that the database refuses, and stores those around it', async () => {
  const { events, log, stored } = auditLog();
  const records = Array.from({ length: 150 }, record);
  const refused = { ...record(), organizationId: 'unknown' };
  for (const one of [...records.slice(0, 40), refused, ...records.slice(40)]) log.add(one);
  await log.stored();
  expect(stored).toEqual(records);
  expect(events).toEqual(['audit record dropped']);
  await log.close();
  expect(stored).toEqual(records);
});

it('says how many records were lost if more wait than it keeps', async () => {
  const { events, log, state, stored } = auditLog();
  state.isUnreachable = true;
  for (let nth = 0; nth < 10_003; nth++) log.add(record());
  state.isUnreachable = false;
  await log.stored();
  expect(stored).toHaveLength(10_000);
  expect(events).toEqual(['audit records lost']);
});

it('deletes records by their age, at the start and each hour', async () => {
  const { clock, deleted, log } = auditLog();
  clock.advance(60 * 60 * 1_000);
  expect(deleted).toEqual([START_MS - 30 * DAY_MS, START_MS - 30 * DAY_MS + 60 * 60 * 1_000]);
  await log.close();
});
