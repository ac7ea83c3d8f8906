import { describe, expect, it } from 'vitest';
import { auditQueryOf, readAuditSearch } from '../../console/src/audit/audit-search.ts';

const ID = '3f2c8f0e-6f0a-4a1e-9a51-0f4f5c1a7b11';
const DAY_MS = 86_400_000;

describe('the filters of the audit log', () => {
  it('are read from a URL, and other parameters are left out', () => {
    const search = { action: 'updateAgent', key: ID, target: ` ${ID} `, after: '2026-03-02', before: '2026-03-02' };
    expect(readAuditSearch(search)).toEqual({ ...search, target: ID });
    expect(readAuditSearch({ action: 'fly', key: '7', target: 7, after: 'monday', before: '', page: 2 })).toEqual({});
  });

  it('ask for whole days of the browser, the last one included', () => {
    const { $from, to, ...rest } = auditQueryOf({ action: 'getCall', after: '2026-03-02', before: '2026-03-02' });
    expect(rest).toEqual({ action: 'getCall' });
    expect(Date.parse(to ?? '') - Date.parse($from ?? '')).toBe(DAY_MS);
    expect(new Date($from ?? '').getHours()).toBe(0);
  });
});
