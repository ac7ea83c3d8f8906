import { describe, expect, it } from 'vitest';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import { FIRST_ATTEMPT } from '../../../engine/core/state/generation-slice.ts';
import { currentModel, hasOtherModel, modelKey } from '../../../engine/current-providers/current-model.ts';
import {
  attemptAfterEmptyResponse,
  attemptAfterFailure,
  resetModelFailure,
} from '../../../engine/failover/model-failover.ts';
import type { ProviderError } from '../../../engine/ports/provider-error.ts';
import { initialContext } from '../../../engine/session/machine/initial-context.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { notices, ruleStep } from '../simulation/rule-step.ts';
import type { Scenario } from '../simulation/scenario.ts';

const OUTAGE: ProviderError = { provider: 'test', code: 'unavailable', message: 'no', retryable: true };
const REJECTED: ProviderError = { ...OUTAGE, code: 'unauthorized', retryable: false };
const FIRST = { model: 'test model', attempts: FIRST_ATTEMPT };

/** A step with the language model `test model` and these fallbacks. */
const stepWithFallbacks = (llm: NonNullable<NonNullable<Scenario['agent']['fallbacks']>['llm']>): RuleStep =>
  ruleStep(initialContext(agentWith({ fallbacks: { llm } }), CALL_PARAMETERS));

const FAILURE = { kind: 'language_model', error: 'test unavailable: no' } as const;

describe('language model failover', () => {
  it('identifies a model by its provider; without one, by the agent’s provider', () => {
    const { context } = stepWithFallbacks([]);
    expect(modelKey(context, { model: 'small' })).toBe('test small');
    expect(modelKey(context, { provider: 'other', model: 'small' })).toBe('other small');
  });

  it('logs the change to the next model in one notice', () => {
    const step = stepWithFallbacks([{ provider: 'other', model: 'second' }, { model: 'third' }]);
    const second = attemptAfterFailure(step, FIRST, OUTAGE);
    expect(second).toMatchObject({ model: 'other second', afterMs: 0 });
    expect(currentModel(step).model).toBe('second');
    const third = second === null ? null : attemptAfterFailure(step, second, OUTAGE);
    expect(third).toMatchObject({ model: 'test third', afterMs: 0 });
    expect(notices(step)).toEqual([
      { ...FAILURE, type: 'provider_failed_over', from: 'test model', to: 'other second' },
      { ...FAILURE, type: 'provider_failed_over', from: 'other second', to: 'test third' },
    ]);
  });

  it('logs the failure alone for a retry or without another model', () => {
    const step = stepWithFallbacks([]);
    expect(attemptAfterFailure(step, FIRST, OUTAGE)).toMatchObject({ model: 'test model' });
    expect(attemptAfterFailure(step, FIRST, REJECTED)).toBeNull();
    expect(notices(step)).toEqual([
      { ...FAILURE, type: 'provider_failed', provider: 'test model' },
      { kind: 'language_model', error: 'test unauthorized: no', type: 'provider_failed', provider: 'test model' },
    ]);
  });

  it('skips a fallback that is the failed model itself', () => {
    const sameModels = stepWithFallbacks([{ model: 'model' }, { model: 'model' }]);
    expect(hasOtherModel(sameModels, ['test model'])).toBe(false);
    expect(attemptAfterFailure(sameModels, FIRST, REJECTED)).toBeNull();
    const sameThenThird = stepWithFallbacks([{ model: 'model' }, { model: 'third' }]);
    expect(attemptAfterFailure(sameThenThird, FIRST, REJECTED)).toMatchObject({ model: 'test third' });
  });

  it('asks the model that failed first if the call skips all, and prefers one that has answered since', () => {
    const step = stepWithFallbacks([{ model: 'second' }]);
    const [first, second] = [1_000_000, 2_000_000];
    const modelsFailedUs = new Map([
      ['test model', second],
      ['test second', first],
    ]);
    step.change({ failover: { ...step.context.failover, modelsFailedUs } });
    expect(currentModel(step).model).toBe('second');
    resetModelFailure(step, 'test model');
    expect(currentModel(step).model).toBe('model');
  });

  it('asks a model with an empty response once more, then the next one, and none without a fallback', () => {
    const step = stepWithFallbacks([{ model: 'second' }]);
    const again = attemptAfterEmptyResponse(step, FIRST);
    expect(again).toMatchObject({ model: 'test model', afterMs: 0 });
    const other = again === null ? null : attemptAfterEmptyResponse(step, again);
    expect(other).toMatchObject({ model: 'test second', afterMs: 0 });
    const otherAgain = other === null ? null : attemptAfterEmptyResponse(step, other);
    expect(otherAgain).toMatchObject({ model: 'test second' });
    expect(otherAgain === null ? null : attemptAfterEmptyResponse(step, otherAgain)).toBeNull();
  });

  it('skips a model in the next turn too once it was empty twice', () => {
    const step = stepWithFallbacks([{ model: 'second' }]);
    const again = attemptAfterEmptyResponse(step, FIRST);
    expect(currentModel(step).model).toBe('model');
    if (again !== null) attemptAfterEmptyResponse(step, again);
    expect(currentModel(step).model).toBe('second');
  });
});
