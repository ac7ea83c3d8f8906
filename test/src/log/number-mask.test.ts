import { expect, it } from 'vitest';
import { numberMask } from '../../../src/log/number-mask.ts';

it('masks the whole of a number that contains another one', () => {
  const mask = numberMask(['1234567', '+33123456789'], (digits) => '*'.repeat(digits.length));
  expect(mask('sip:33123456789@c and 1234567')).toBe('sip:***********@c and *******');
});
