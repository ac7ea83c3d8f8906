import { expect, it } from 'vitest';
import { SILENT_USER } from '../../../engine/core/state/turn-detection-slice.ts';
import { reopenLastTurn } from '../../../engine/turn-detection/reopen-last-turn.ts';
import { ruleStep } from '../simulation/rule-step.ts';

it('a turn that goes on begins where it began, and ends with the later end of both its parts', () => {
  const entry = { sequence: 7, startUs: 1_000_000 };
  const reopened = (endedUs: number | null, endUs: number | null) => {
    const step = ruleStep({ userTurn: { ...SILENT_USER, startedUs: 4_000_000, endedUs } }, 9_000);
    reopenLastTurn(step, { entry, endUs, item: 1, text: 'Yes' });
    const { lastTurn, userTurn } = step.context;
    expect({ lastTurn, entry: userTurn.entry, startedUs: userTurn.startedUs }).toEqual({
      lastTurn: null,
      entry,
      startedUs: entry.startUs,
    });
    return userTurn.endedUs;
  };
  expect(reopened(5_000_000, 3_000_000)).toBe(5_000_000);
  expect(reopened(null, 3_000_000)).toBe(3_000_000);
  expect(reopened(5_000_000, null)).toBe(5_000_000);
  expect(reopened(2_000_000, 3_000_000)).toBe(3_000_000);
});
