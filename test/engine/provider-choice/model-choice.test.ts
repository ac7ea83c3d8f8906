import { describe, expect, it } from 'vitest';
import type { RuleStep } from '../../../engine/core/step.ts';
import { chooseModel, hasOtherModel, modelInUse, modelKey } from '../../../engine/provider-choice/model-choice.ts';
import { initialContext } from '../../../engine/session/initial-context.ts';
import { agentOf, CALL_PARAMETERS, type Scenario } from '../simulation/simulate.ts';
import { stepOf } from '../simulation/step-of.ts';

const FAILED = { retryable: false, stalled: false };

/** An agent of `test model` with these behind it. */
const fallingBack = (llm: NonNullable<NonNullable<Scenario['agent']['fallbacks']>['llm']>): RuleStep =>
  stepOf(initialContext(agentOf({ fallbacks: { llm } }), CALL_PARAMETERS));

const switches = (step: RuleStep) =>
  step.commands.flatMap((command) => (command.type === 'log' ? [`${command.level}: ${command.message}`] : []));

describe('a language model', () => {
  it('is known by its provider, which is the agent’s where it names none', () => {
    const { context } = fallingBack([]);
    expect(modelKey(context, { model: 'small' })).toBe('test small');
    expect(modelKey(context, { provider: 'other', model: 'small' })).toBe('other small');
  });

  it('that is given up is told in the log with the one that follows it', () => {
    const step = fallingBack([{ provider: 'other', model: 'second' }, { model: 'third' }]);
    expect(chooseModel(step, 'test model', FAILED, true)).toEqual({ type: 'next', place: 1 });
    expect(switches(step)).toEqual(['warn: the language model is now other second']);
    expect(modelInUse(step).model).toBe('second');
    chooseModel(step, 'other second', FAILED, true);
    expect(switches(step)[1]).toBe('warn: the language model is now test third');
  });

  it('that is asked again, or is the last, is told of as no other', () => {
    const again = fallingBack([{ model: 'second' }]);
    expect(chooseModel(again, 'test model', { ...FAILED, retryable: true }, true)).toEqual({ type: 'retry' });
    expect([switches(again), modelInUse(again).model]).toEqual([[], 'model']);
    const alone = fallingBack([]);
    expect(chooseModel(alone, 'test model', FAILED, true)).toEqual({ type: 'none' });
    expect(switches(alone)).toEqual([]);
  });

  it('that stands in the list twice is no other of itself', () => {
    const twice = fallingBack([{ model: 'model' }, { model: 'model' }]);
    expect(hasOtherModel(twice, ['test model'])).toBe(false);
    expect(chooseModel(twice, 'test model', FAILED, true)).toEqual({ type: 'none' });
    const behind = fallingBack([{ model: 'model' }, { model: 'third' }]);
    expect(chooseModel(behind, 'test model', FAILED, true)).toEqual({ type: 'next', place: 2 });
  });
});
