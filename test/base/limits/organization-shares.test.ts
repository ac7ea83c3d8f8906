import { describe, expect, it } from 'vitest';
import { OrganizationShares } from '../../../base/limits/organization-shares.ts';

describe('the shares of organizations', () => {
  it('go first to the organization that has used least, then to the one that has waited longest', () => {
    const shares = new OrganizationShares();
    expect(shares.next(['a', 'b'])).toBe('a');
    shares.used('a', 60_000);
    expect(shares.next(['a', 'b'])).toBe('b');
    shares.used('b', 1_000);
    expect(shares.next(['a', 'b'])).toBe('b');
    shares.used('b', 59_000);
    expect(shares.next(['a', 'b'])).toBe('a');
    expect(shares.next([])).toBeNull();
  });

  it('give no credit for time without waiting sources', () => {
    const shares = new OrganizationShares();
    shares.next(['a']);
    shares.used('a', 60_000);
    expect(shares.next(['a'])).toBe('a');
    shares.used('a', 10_000);
    expect(shares.next(['a', 'b'])).toBe('b');
    shares.used('b', 10_001);
    expect(shares.next(['a', 'b'])).toBe('a');
  });

  it('are not reset by adding sources one at a time', () => {
    const shares = new OrganizationShares();
    expect(shares.next(['a', 'b'])).toBe('a');
    shares.used('a', 60_000);
    expect(shares.next(['b'])).toBe('b');
    shares.used('b', 1_000);
    expect(shares.next(['a', 'b'])).toBe('b');
  });
});
