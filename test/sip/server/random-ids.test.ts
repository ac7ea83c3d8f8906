import { expect, it } from 'vitest';
import { RandomIds } from '../../../sip/server/random-ids.ts';

const IDS = 2_000;

it('gives ids of 96 bits in hex, none twice', () => {
  const ids = new RandomIds();
  const given = Array.from({ length: IDS }, () => ids.next());
  for (const id of given) expect(id).toMatch(/^[0-9a-f]{24}$/);
  expect(new Set(given).size).toBe(IDS);
});
