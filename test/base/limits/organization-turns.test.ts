import { describe, expect, it } from 'vitest';
import { OrganizationTurns } from '../../../base/limits/organization-turns.ts';

describe('the turns of organizations', () => {
  it('belong to the one that has used least, then to the one that has waited longest', () => {
    const turns = new OrganizationTurns();
    expect(turns.next(['a', 'b'])).toBe('a');
    turns.used('a', 60_000);
    expect(turns.next(['a', 'b'])).toBe('b');
    turns.used('b', 1_000);
    expect(turns.next(['a', 'b'])).toBe('b');
    turns.used('b', 59_000);
    expect(turns.next(['a', 'b'])).toBe('a');
    expect(turns.next([])).toBeNull();
  });

  it('give no credit for time without waiting sources', () => {
    const turns = new OrganizationTurns();
    turns.next(['a']);
    turns.used('a', 60_000);
    expect(turns.next(['a'])).toBe('a');
    turns.used('a', 10_000);
    expect(turns.next(['a', 'b'])).toBe('b');
    turns.used('b', 10_001);
    expect(turns.next(['a', 'b'])).toBe('a');
  });

  it('are not reset by adding sources one at a time', () => {
    const turns = new OrganizationTurns();
    expect(turns.next(['a', 'b'])).toBe('a');
    turns.used('a', 60_000);
    expect(turns.next(['b'])).toBe('b');
    turns.used('b', 1_000);
    expect(turns.next(['a', 'b'])).toBe('b');
  });
});
