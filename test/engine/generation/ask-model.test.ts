import { expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import { askModel } from '../../../engine/generation/ask-model.ts';
import { withdrawReply } from '../../../engine/turn-taking/pending-turn.ts';
import { ruleStep } from '../simulation/rule-step.ts';

const CORRECTION = { item: 1, words: 'no' };

it.each<[string, Partial<CallContext>, boolean]>([
  ['nothing', {}, false],
  ['a tool result', { pendingResponse: true }, true],
  ['a turn that was misheard', { corrections: [CORRECTION] }, true],
])('an answer that is withdrawn leaves %s to be answered as before', (_what, context, isPending) => {
  const step = ruleStep(context);
  askModel(step, 'ahead');
  expect(step.context.corrections).toEqual([]);
  // The request covers it.
  step.change({ pendingResponse: false });
  withdrawReply(step);
  expect(step.context).toMatchObject({ reply: null, pendingResponse: isPending });
});

it('the end of a turn that the model is asked about ahead is not known yet', () => {
  const endedUs = (phase: 'ahead' | 'ended') => {
    const step = ruleStep({}, 4_000);
    askModel(step, phase);
    expect(step.context.reply).toMatchObject({ turn: null, requestPending: true, pending: { phase } });
    return step.context.reply?.pending?.endedUs;
  };
  expect(endedUs('ahead')).toBeNull();
  expect(endedUs('ended')).toBe(4_000_000);
});
