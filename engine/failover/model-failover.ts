import type { RuleStep } from '../core/rule-step.ts';
import { isModelAvailable, modelKey, modelsOf } from '../current-providers/current-model.ts';
import { chooseProvider, logProviderFailure, type ProviderChoice, type ProviderFailure } from './provider-choice.ts';

/**
 * Chooses what follows the failure of the model with the key `model`, and logs it. Without a retry the call skips it.
 */
export function chooseModelAfterFailure(
  step: RuleStep,
  model: string,
  { error, ...failing }: ProviderFailure & { readonly error: string },
  hasRetry: boolean,
): ProviderChoice {
  const models = modelsOf(step.context);
  const keys = models.map((llm) => modelKey(step.context, llm));
  const isUnavailable = models.map((llm, index) => !isModelAvailable(step, llm) || keys[index] === model);
  const choice = chooseProvider(keys.indexOf(model), isUnavailable, failing, hasRetry);
  if (choice.type !== 'retry') {
    const { failover } = step.context;
    const modelsFailedUs = new Map([...failover.modelsFailedUs, [model, step.nowUs]]);
    step.change({ failover: { ...failover, modelsFailedUs } });
  }
  const to = choice.type === 'next' ? (keys[choice.index] ?? null) : null;
  logProviderFailure(step, { kind: 'language_model', from: model, to, error });
  return choice;
}
