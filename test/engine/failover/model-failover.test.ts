import { describe, expect, it } from 'vitest';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import { currentModel, hasOtherModel, modelKey } from '../../../engine/current-providers/current-model.ts';
import { chooseModelAfterFailure } from '../../../engine/failover/model-failover.ts';
import { initialContext } from '../../../engine/session/machine/initial-context.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { ruleStep } from '../simulation/rule-step.ts';
import type { Scenario } from '../simulation/scenario.ts';

const FAILED = { retryable: false, stalled: false };

/** An agent of `test model` with these behind it. */
const fallingBack = (llm: NonNullable<NonNullable<Scenario['agent']['fallbacks']>['llm']>): RuleStep =>
  ruleStep(initialContext(agentWith({ fallbacks: { llm } }), CALL_PARAMETERS));

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
    expect(chooseModelAfterFailure(step, 'test model', FAILED, true)).toEqual({ type: 'next', place: 1 });
    expect(switches(step)).toEqual(['warn: the language model is now other second']);
    expect(currentModel(step).model).toBe('second');
    chooseModelAfterFailure(step, 'other second', FAILED, true);
    expect(switches(step)[1]).toBe('warn: the language model is now test third');
  });

  it('that is asked again, or is the last, is told of as no other', () => {
    const again = fallingBack([{ model: 'second' }]);
    expect(chooseModelAfterFailure(again, 'test model', { ...FAILED, retryable: true }, true)).toEqual({
      type: 'retry',
    });
    expect([switches(again), currentModel(again).model]).toEqual([[], 'model']);
    const alone = fallingBack([]);
    expect(chooseModelAfterFailure(alone, 'test model', FAILED, true)).toEqual({ type: 'none' });
    expect(switches(alone)).toEqual([]);
  });

  it('that stands in the list twice is no other of itself', () => {
    const twice = fallingBack([{ model: 'model' }, { model: 'model' }]);
    expect(hasOtherModel(twice, ['test model'])).toBe(false);
    expect(chooseModelAfterFailure(twice, 'test model', FAILED, true)).toEqual({ type: 'none' });
    const behind = fallingBack([{ model: 'model' }, { model: 'third' }]);
    expect(chooseModelAfterFailure(behind, 'test model', FAILED, true)).toEqual({ type: 'next', place: 2 });
  });
});
