import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  type AuditRecord,
  createAuditLogRepository,
  DELETED_AT_ONCE,
} from '../../../../src/storage/access/audit-log-repository.ts';
import {
  createOrganizationRepository,
  DEFAULT_ORGANIZATION_ID,
} from '../../../../src/storage/access/organization-repository.ts';
import { onEachDatabase, START_MS } from '../temporary-database.ts';

const KEY = randomUUID();
const CALL = randomUUID();

function record(nth: number, fields: Partial<AuditRecord> = {}): AuditRecord {
  return {
    id: randomUUID(),
    organizationId: DEFAULT_ORGANIZATION_ID,
    atMs: START_MS + nth,
    keyId: KEY,
    action: 'getRecording',
    targetId: CALL,
    address: '192.0.2.7',
    status: 200,
    ...fields,
  };
}

describe('the audit log', () => {
  onEachDatabase((temporaryDatabase) => {
    async function emptyLog() {
      const database = await temporaryDatabase();
      await createOrganizationRepository(database).ensureDefault(START_MS);
      return createAuditLogRepository(database);
    }
    const all = { before: null, limit: 100 };

    it('returns records newest first, page by page, also those of one moment', async () => {
      const log = await emptyLog();
      const records = [record(0), record(1), record(1), record(1), record(2)];
      await log.append(records);
      await log.append([]);
      const newest = records.toSorted((a, b) => b.atMs - a.atMs || (a.id < b.id ? 1 : -1));
      expect(await log.list(DEFAULT_ORGANIZATION_ID, {}, all)).toEqual(newest);
      const paged: AuditRecord[] = [];
      for (let before: AuditRecord | null = null; ; ) {
        const page: readonly AuditRecord[] = await log.list(DEFAULT_ORGANIZATION_ID, {}, { before, limit: 2 });
        paged.push(...page);
        before = page.at(-1) ?? null;
        if (page.length < 2) break;
      }
      expect(paged).toEqual(newest);
      expect(await log.list(randomUUID(), {}, all)).toEqual([]);
    });

    it('stores any number of records at once, each with its own fields', async () => {
      const log = await emptyLog();
      const records = Array.from({ length: 100 }, (_, nth) =>
        record(nth, nth % 2 === 0 ? {} : { keyId: null, targetId: null, action: `action ${nth}`, status: 400 + nth }),
      );
      await log.append(records);
      expect(await log.list(DEFAULT_ORGANIZATION_ID, {}, all)).toEqual(records.toReversed());
    });

    it('filters by key, action, target and time', async () => {
      const log = await emptyLog();
      const link = record(1, { keyId: null });
      const change = record(2, { action: 'deleteAgent', targetId: null, status: 403 });
      await log.append([record(0), link, change]);
      const found = (filter: Parameters<typeof log.list>[1]) => log.list(DEFAULT_ORGANIZATION_ID, filter, all);
      expect((await found({ keyId: KEY })).map(({ atMs }) => atMs - START_MS)).toEqual([2, 0]);
      expect(await found({ action: 'deleteAgent' })).toEqual([change]);
      expect((await found({ targetId: CALL })).map(({ atMs }) => atMs - START_MS)).toEqual([1, 0]);
      expect(await found({ fromMs: START_MS + 1, toMs: START_MS + 2 })).toEqual([link]);
      expect(await found({ keyId: KEY, action: 'deleteAgent' })).toEqual([change]);
      expect(await found({ keyId: KEY, action: 'getCall' })).toEqual([]);
      expect(await found({ targetId: CALL, keyId: KEY, action: 'deleteAgent' })).toEqual([]);
      expect(await found({ action: 'getRecording', fromMs: START_MS + 1 })).toEqual([link]);
    });

    it('stores a record once that is appended again after an unknown outcome', async () => {
      const log = await emptyLog();
      const [committed, next] = [record(0), record(1)];
      await log.append([committed]);
      await log.append([committed, next]);
      expect(await log.list(DEFAULT_ORGANIZATION_ID, {}, all)).toEqual([next, committed]);
    });

    it('refuses a record without its organization, and those that come with it', async () => {
      const log = await emptyLog();
      const refused = log.append([record(0), record(1, { organizationId: randomUUID() })]);
      await expect(refused).rejects.toMatchObject({ fault: 'constraint' });
      expect(await log.list(DEFAULT_ORGANIZATION_ID, {}, all)).toEqual([]);
    });

    it('loses the records before a time, and no other', async () => {
      const log = await emptyLog();
      const kept = record(5);
      await log.append([...Array.from({ length: DELETED_AT_ONCE + 1 }, () => record(4)), kept]);
      await log.deleteBefore(START_MS + 5);
      expect(await log.list(DEFAULT_ORGANIZATION_ID, {}, all)).toEqual([kept]);
    });
  });
});
