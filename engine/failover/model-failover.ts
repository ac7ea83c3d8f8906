import type { RuleStep } from '../core/rule-step.ts';
import { isModelAvailable, modelKey, modelsOf } from '../current-providers/current-model.ts';
import { chooseProvider, type ProviderChoice, type ProviderFailure } from './provider-choice.ts';

/** Chooses what follows the failure of the model with the key `model`. Without a retry its circuit opens. */
export function chooseModelAfterFailure(
  step: RuleStep,
  model: string,
  failing: ProviderFailure,
  hasRetry: boolean,
): ProviderChoice {
  const models = modelsOf(step.context);
  const keys = models.map((llm) => modelKey(step.context, llm));
  const isUnavailable = models.map((llm, place) => !isModelAvailable(step, llm) || keys[place] === model);
  const choice = chooseProvider(keys.indexOf(model), isUnavailable, failing, hasRetry);
  if (choice.type !== 'retry') {
    const { failover } = step.context;
    const modelsOpenedUs = new Map([...failover.modelsOpenedUs, [model, step.nowUs]]);
    step.change({ failover: { ...failover, modelsOpenedUs } });
  }
  if (choice.type === 'next') step.log('warn', `the language model is now ${keys[choice.place] ?? ''}`);
  return choice;
}
