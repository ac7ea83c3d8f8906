import { expect, it } from 'vitest';
import { CheckRuns } from '../../../src/doctor/check-runs.ts';
import { type Finding, fine } from '../../../src/doctor/finding.ts';

const FINDINGS = [fine('ports', 'available')];

it('requests during a run get its findings, and the next request begins another run', async () => {
  const ends: ((findings: readonly Finding[]) => void)[] = [];
  const runs = new CheckRuns(() => new Promise((end) => ends.push(end)));
  const both = Promise.all([runs.run(), runs.run()]);
  expect(ends).toHaveLength(1);
  ends[0]?.(FINDINGS);
  expect(await both).toEqual([FINDINGS, FINDINGS]);
  void runs.run();
  expect(ends).toHaveLength(2);
});

it('a failed run does not prevent the next', async () => {
  let runsBegun = 0;
  const runs = new CheckRuns(async () => {
    runsBegun += 1;
    if (runsBegun === 1) throw new Error('no disk');
    return FINDINGS;
  });
  await expect(runs.run()).rejects.toThrow('no disk');
  expect(await runs.run()).toEqual(FINDINGS);
});
