import { describe, expect, it } from 'vitest';
import { maskedUser } from '../../../../src/telephony/numbers/masked-user.ts';
import { isSameNumber } from '../../../../src/telephony/numbers/same-number.ts';

describe('a user part for people', () => {
  it.each([
    ['+33123456789', '+33•••••••89'],
    ['0033123456789', '+33•••••••89'],
    ['33123456789', '+33•••••••89'],
    ['0123456789', '••••••••89'],
    ['+353 1 234-5678', '+353••••••78'],
    ['sales-01.23.45.67.89', 'sales-••••••••89'],
    ['1001', '1001'],
    ['alice', 'alice'],
  ])('%s is shown as %s', (user, shown) => {
    expect(maskedUser(user)).toBe(shown);
  });

  it('has at most 64 characters, and is null where there is none', () => {
    expect(maskedUser('a'.repeat(1_000))).toHaveLength(64);
    expect(maskedUser('')).toBeNull();
  });
});

describe('a dialled user part', () => {
  it.each(['+33123456789', '33123456789', '0033123456789', '0123456789', '01 23 45 67 89'])(
    '%s means +33123456789',
    (dialled) => {
      expect(isSameNumber(dialled, '+33123456789')).toBe(true);
    },
  );

  it.each(['+33123456780', '123456789', '056789', '6789', 'agent', '', '+493123456789'])(
    '%j does not mean +33123456789',
    (dialled) => {
      expect(isSameNumber(dialled, '+33123456789')).toBe(false);
    },
  );
});
