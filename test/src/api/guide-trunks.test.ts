import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { sipTrunkBody } from '../../../src/api/schemas/telephony.ts';

const GUIDES = resolve(import.meta.dirname, '../../../docs/guides');
const trunks = globSync('*.md', { cwd: GUIDES }).flatMap((page) =>
  Array.from(
    readFileSync(resolve(GUIDES, page), 'utf8').matchAll(/```json\n(\{[^`]*?"termination_uri"[^`]*\})\n```/g),
    ([, json]) => ({
      page,
      json: json ?? '',
    }),
  ),
);

it('the guides name a trunk for each carrier and PBX', () => {
  expect(trunks.length).toBeGreaterThanOrEqual(8);
});

it.each(trunks)('the API accepts the trunk of $page', ({ json }) => {
  expect(sipTrunkBody.safeParse(JSON.parse(json)).error).toBeUndefined();
});
