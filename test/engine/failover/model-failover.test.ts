import { describe, expect, it } from 'vitest';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import { currentModel, hasOtherModel, modelKey } from '../../../engine/current-providers/current-model.ts';
import { chooseModelAfterFailure } from '../../../engine/failover/model-failover.ts';
import { initialContext } from '../../../engine/session/machine/initial-context.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { notices, ruleStep } from '../simulation/rule-step.ts';
import type { Scenario } from '../simulation/scenario.ts';

const FAILED = { retryable: false, stalled: false, error: 'test unavailable: no' };

/** A step with the language model `test model` and these fallbacks. */
const stepWithFallbacks = (llm: NonNullable<NonNullable<Scenario['agent']['fallbacks']>['llm']>): RuleStep =>
  ruleStep(initialContext(agentWith({ fallbacks: { llm } }), CALL_PARAMETERS));

const FAILURE = { kind: 'language_model', error: FAILED.error } as const;

describe('language model failover', () => {
  it('identifies a model by its provider; without one, by the agent’s provider', () => {
    const { context } = stepWithFallbacks([]);
    expect(modelKey(context, { model: 'small' })).toBe('test small');
    expect(modelKey(context, { provider: 'other', model: 'small' })).toBe('other small');
  });

  it('logs the change to the next model in one notice', () => {
    const step = stepWithFallbacks([{ provider: 'other', model: 'second' }, { model: 'third' }]);
    expect(chooseModelAfterFailure(step, 'test model', FAILED, true)).toEqual({ type: 'next', index: 1 });
    expect(notices(step)).toEqual([
      { ...FAILURE, type: 'provider_failed_over', from: 'test model', to: 'other second' },
    ]);
    expect(currentModel(step).model).toBe('second');
    chooseModelAfterFailure(step, 'other second', FAILED, true);
    expect(notices(step)[1]).toEqual({
      ...FAILURE,
      type: 'provider_failed_over',
      from: 'other second',
      to: 'test third',
    });
  });

  it('logs the failure alone for a retry or without another model', () => {
    const withFallback = stepWithFallbacks([{ model: 'second' }]);
    expect(chooseModelAfterFailure(withFallback, 'test model', { ...FAILED, retryable: true }, true)).toEqual({
      type: 'retry',
    });
    expect(currentModel(withFallback).model).toBe('model');
    expect(notices(withFallback)).toEqual([{ ...FAILURE, type: 'provider_failed', provider: 'test model' }]);
    const withoutFallback = stepWithFallbacks([]);
    expect(chooseModelAfterFailure(withoutFallback, 'test model', FAILED, true)).toEqual({ type: 'none' });
    expect(notices(withoutFallback)).toEqual([{ ...FAILURE, type: 'provider_failed', provider: 'test model' }]);
  });

  it('skips a fallback that is the failed model itself', () => {
    const sameModels = stepWithFallbacks([{ model: 'model' }, { model: 'model' }]);
    expect(hasOtherModel(sameModels, ['test model'])).toBe(false);
    expect(chooseModelAfterFailure(sameModels, 'test model', FAILED, true)).toEqual({ type: 'none' });
    const sameThenThird = stepWithFallbacks([{ model: 'model' }, { model: 'third' }]);
    expect(chooseModelAfterFailure(sameThenThird, 'test model', FAILED, true)).toEqual({ type: 'next', index: 2 });
  });
});
