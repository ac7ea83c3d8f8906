import { expect, it } from 'vitest';
import { REPETITION_MS, RepeatedAccesses } from '../../../../src/api/audit/repeated-accesses.ts';

const START_MS = 1_000_000_000;
const REMEMBERED_MAX = 10_000;
const ACCESS = {
  organizationId: 'o',
  keyId: 'k',
  action: 'getCall',
  targetId: 'call',
  address: '192.0.2.7',
  status: 200,
  query: { cursor: 'a' },
};

it('an access is a repetition for ten minutes after the recorded one', () => {
  const repeated = new RepeatedAccesses();
  const at = (ms: number) => repeated.isRepetition(ACCESS, START_MS + ms);
  expect([at(0), at(1), at(REPETITION_MS - 1), at(REPETITION_MS), at(REPETITION_MS + 1)]).toEqual([
    false,
    true,
    true,
    false,
    true,
  ]);
});

it.each([
  { keyId: null },
  { organizationId: 'other' },
  { action: 'getTimeline' },
  { targetId: 'other' },
  { address: '192.0.2.8' },
  { status: 404 },
  { query: { cursor: 'b' } },
])('an access with %j is another one', (difference) => {
  const repeated = new RepeatedAccesses();
  repeated.isRepetition(ACCESS, START_MS);
  expect(repeated.isRepetition({ ...ACCESS, ...difference }, START_MS)).toBe(false);
});

it('an access is recorded again if it was forgotten for others, or the wall clock was set back', () => {
  const repeated = new RepeatedAccesses();
  repeated.isRepetition(ACCESS, START_MS);
  for (let call = 0; call < REMEMBERED_MAX; call++) repeated.isRepetition({ ...ACCESS, targetId: `${call}` }, START_MS);
  expect(repeated.isRepetition(ACCESS, START_MS)).toBe(false);
  expect(repeated.isRepetition(ACCESS, START_MS - REPETITION_MS)).toBe(false);
});
