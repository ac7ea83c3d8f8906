import { describe, expect, it } from 'vitest';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import { currentModel, hasOtherModel, modelKey } from '../../../engine/current-providers/current-model.ts';
import { chooseModelAfterFailure } from '../../../engine/failover/model-failover.ts';
import { initialContext } from '../../../engine/session/machine/initial-context.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { ruleStep } from '../simulation/rule-step.ts';
import type { Scenario } from '../simulation/scenario.ts';

const FAILED = { retryable: false, stalled: false };

/** The agent's model is `test model`; these are its fallbacks. */
const stepWithFallbacks = (llm: NonNullable<NonNullable<Scenario['agent']['fallbacks']>['llm']>): RuleStep =>
  ruleStep(initialContext(agentWith({ fallbacks: { llm } }), CALL_PARAMETERS));

const logLines = (step: RuleStep) =>
  step.commands.flatMap((command) => (command.type === 'log' ? [`${command.level}: ${command.message}`] : []));

describe('a language model', () => {
  it('is identified by its provider, by default the agent’s, and its name', () => {
    const { context } = stepWithFallbacks([]);
    expect(modelKey(context, { model: 'small' })).toBe('test small');
    expect(modelKey(context, { provider: 'other', model: 'small' })).toBe('other small');
  });

  it('logs its fallback when it is replaced', () => {
    const step = stepWithFallbacks([{ provider: 'other', model: 'second' }, { model: 'third' }]);
    expect(chooseModelAfterFailure(step, 'test model', FAILED, true)).toEqual({ type: 'next', place: 1 });
    expect(logLines(step)).toEqual(['warn: the language model is now other second']);
    expect(currentModel(step).model).toBe('second');
    chooseModelAfterFailure(step, 'other second', FAILED, true);
    expect(logLines(step)[1]).toBe('warn: the language model is now test third');
  });

  it('logs no fallback when it is retried or is the last one', () => {
    const retried = stepWithFallbacks([{ model: 'second' }]);
    expect(chooseModelAfterFailure(retried, 'test model', { ...FAILED, retryable: true }, true)).toEqual({
      type: 'retry',
    });
    expect([logLines(retried), currentModel(retried).model]).toEqual([[], 'model']);
    const withoutFallback = stepWithFallbacks([]);
    expect(chooseModelAfterFailure(withoutFallback, 'test model', FAILED, true)).toEqual({ type: 'none' });
    expect(logLines(withoutFallback)).toEqual([]);
  });

  it('is no fallback for itself when the list repeats it', () => {
    const repeated = stepWithFallbacks([{ model: 'model' }, { model: 'model' }]);
    expect(hasOtherModel(repeated, ['test model'])).toBe(false);
    expect(chooseModelAfterFailure(repeated, 'test model', FAILED, true)).toEqual({ type: 'none' });
    const repeatedThenOther = stepWithFallbacks([{ model: 'model' }, { model: 'third' }]);
    expect(chooseModelAfterFailure(repeatedThenOther, 'test model', FAILED, true)).toEqual({ type: 'next', place: 2 });
  });
});
