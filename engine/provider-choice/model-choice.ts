import type { AgentConfiguration } from '../agent/agent.ts';
import type { CallContext } from '../core/context.ts';
import { type RuleStep, stateOf } from '../core/step.ts';
import { chooseProvider, isOpen, type ProviderChoice, type ProviderFailure } from './provider-choice.ts';

type Llm = AgentConfiguration['llm'];

/** The models of the state that the call is in, in the order in which they are asked: its own or the agent's, then the fallbacks. */
function modelsOf(context: CallContext): readonly Llm[] {
  const { llm, fallbacks } = context.agent;
  return [stateOf(context).llm ?? llm, ...fallbacks.llm];
}

/** The service fills the provider in before an agent is stored. */
export function providerOf({ agent }: CallContext, llm: Llm): string {
  return llm.provider ?? agent.llm.provider ?? '';
}

export function modelKey(context: CallContext, llm: Llm): string {
  return `${providerOf(context, llm)} ${llm.model}`;
}

/** The 99th percentile of its first token in the calls before, in ms; null where it is not known. */
export function modelLatencyMs({ parameters }: CallContext, key: string): number | null {
  const known = parameters.modelLatencies?.find(({ provider, model }) => `${provider} ${model}` === key);
  return known?.firstTokenP99Ms ?? null;
}

/** The model that is asked next: the first that is not left alone. `tried`: those that this request was made to. */
export function modelInUse(step: RuleStep, tried: readonly string[] = []): Llm {
  const models = modelsOf(step.context);
  return (
    models.find((llm) => isAvailable(step, llm) && !tried.includes(modelKey(step.context, llm))) ??
    models[0] ??
    step.context.agent.llm
  );
}

/** A model that can be asked in the place of those tried. */
export function hasOtherModel(step: RuleStep, tried: readonly string[]): boolean {
  return modelsOf(step.context).some((llm) => isAvailable(step, llm) && !tried.includes(modelKey(step.context, llm)));
}

/** Who answers after a model has failed. One that is given up is left alone for a while. */
export function chooseModel(
  step: RuleStep,
  model: string,
  failing: ProviderFailure,
  hasRetry: boolean,
): ProviderChoice {
  const models = modelsOf(step.context);
  const keys = models.map((llm) => modelKey(step.context, llm));
  const out = models.map((llm, place) => !isAvailable(step, llm) || keys[place] === model);
  const choice = chooseProvider(keys.indexOf(model), out, failing, hasRetry);
  if (choice.type !== 'retry') {
    const { failover } = step.context;
    const modelsOpenedUs = new Map([...failover.modelsOpenedUs, [model, step.nowUs]]);
    step.change({ failover: { ...failover, modelsOpenedUs: modelsOpenedUs } });
  }
  if (choice.type === 'next') step.log('warn', `the language model is now ${keys[choice.place] ?? ''}`);
  return choice;
}

function isAvailable(step: RuleStep, llm: Llm): boolean {
  return !isOpen(step.context.failover.modelsOpenedUs.get(modelKey(step.context, llm)), step.nowUs);
}
