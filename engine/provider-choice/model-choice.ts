import type { AgentConfiguration } from '../agent/agent.ts';
import type { CallContext } from '../core/context.ts';
import { type Step, stateOf } from '../core/step.ts';
import { type Choice, choose, type Failing, isOut } from './provider-choice.ts';

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
export function modelPace({ facts }: CallContext, key: string): number | null {
  const known = facts.modelPaces?.find(({ provider, model }) => `${provider} ${model}` === key);
  return known?.firstTokenP99Ms ?? null;
}

/** The model that is asked next: the first that is not left alone. `tried`: those that this request was made to. */
export function modelInUse(step: Step, tried: readonly string[] = []): Llm {
  const models = modelsOf(step.context);
  return (
    models.find((llm) => isFit(step, llm) && !tried.includes(modelKey(step.context, llm))) ??
    models[0] ??
    step.context.agent.llm
  );
}

/** A model that can be asked in the place of those tried. */
export function hasOtherModel(step: Step, tried: readonly string[]): boolean {
  return modelsOf(step.context).some((llm) => isFit(step, llm) && !tried.includes(modelKey(step.context, llm)));
}

/** Who answers after a model has failed. One that is given up is left alone for a while. */
export function chooseModel(step: Step, model: string, failing: Failing, hasRetry: boolean): Choice {
  const models = modelsOf(step.context);
  const keys = models.map((llm) => modelKey(step.context, llm));
  const out = models.map((llm, place) => !isFit(step, llm) || keys[place] === model);
  const choice = choose(keys.indexOf(model), out, failing, hasRetry);
  if (choice.type !== 'again') {
    const { failover } = step.context;
    const modelsOutUs = new Map([...failover.modelsOutUs, [model, step.nowUs]]);
    step.change({ failover: { ...failover, modelsOutUs } });
  }
  if (choice.type === 'next') step.log('warn', `the language model is now ${keys[choice.place] ?? ''}`);
  return choice;
}

function isFit(step: Step, llm: Llm): boolean {
  return !isOut(step.context.failover.modelsOutUs.get(modelKey(step.context, llm)), step.nowUs);
}
