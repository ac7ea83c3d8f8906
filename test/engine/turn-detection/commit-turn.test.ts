import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { PendingTurn } from '../../../engine/core/state/playout-slice.ts';
import { SILENT_USER } from '../../../engine/core/state/turn-detection-slice.ts';
import { changeReply, startReply } from '../../../engine/playout/reply.ts';
import { commitPendingTurn, commitTurn } from '../../../engine/turn-detection/commit-turn.ts';
import { ruleStep } from '../simulation/rule-step.ts';
import { speechOf } from '../simulation/speech.ts';

const NOW_US = 9_000_000;
const SPOKEN = {
  ...SILENT_USER,
  startedUs: 2_000_000,
  endedUs: 4_000_000,
  speech: speechOf({ finals: ['A table on Monday'], finalEndMs: 4_000 }),
};
const digitsAt = (startUs: number): Partial<CallContext> => ({
  dtmf: {
    openEntry: null,
    entries: [{ type: 'digits', digits: '12', startUs, endUs: startUs, activityEndedUs: null }],
  },
});

describe('a committed turn', () => {
  const committed = (context: Partial<CallContext>) => {
    const step = ruleStep(context, NOW_US / 1000);
    const { speechEndedUs } = commitTurn(step);
    const texts = step.context.history.map((item) => (item.type === 'user' ? item.text : item.type));
    return { speechEndedUs, texts };
  };

  it('has its words and its digits in the order in which they began', () => {
    expect(committed({ userTurn: SPOKEN, ...digitsAt(1_999_999) }).texts).toEqual([
      '[pressed the keys 12]',
      'A table on Monday',
    ]);
    expect(committed({ userTurn: SPOKEN, ...digitsAt(2_000_000) }).texts).toEqual([
      'A table on Monday',
      '[pressed the keys 12]',
    ]);
  });

  it('counts from the end of its speech, or from now if it ends in digits', () => {
    expect(committed({ userTurn: SPOKEN }).speechEndedUs).toBe(4_000_000);
    expect(committed({ userTurn: SPOKEN, ...digitsAt(1_000_000) }).speechEndedUs).toBe(4_000_000);
    expect(committed({ userTurn: SPOKEN, ...digitsAt(5_000_000) }).speechEndedUs).toBe(NOW_US);
    expect(committed({ userTurn: { ...SILENT_USER, endedUs: 4_000_000 }, ...digitsAt(5_000_000) }).speechEndedUs).toBe(
      NOW_US,
    );
  });
});

it('an answer that is heard although the user has said more is corrected afterwards, if it was overdue', () => {
  const pending: PendingTurn = {
    phase: 'ended',
    text: 'A table',
    item: 5,
    request: null,
    endedUs: 4_500_000,
    wasResponsePending: false,
  };
  const correctionsOf = (unheardAnswers: number, text: string) => {
    const step = ruleStep({ userTurn: SPOKEN, unheardAnswers }, NOW_US / 1000);
    startReply(step, null);
    changeReply(step, { pending: { ...pending, text } });
    commitPendingTurn(step);
    expect(step.context.reply).toMatchObject({ pending: null, turn: { endedUs: 4_500_000 } });
    return step.context.corrections;
  };
  expect(correctionsOf(2, 'A table')).toEqual([{ item: 5, words: 'A table on Monday' }]);
  expect(correctionsOf(1, 'A table')).toEqual([]);
  expect(correctionsOf(2, 'A table on Monday')).toEqual([]);
});
