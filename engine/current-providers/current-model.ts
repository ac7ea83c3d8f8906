import type { AgentConfiguration } from '../agent/agent.ts';
import type { CallContext } from '../core/context.ts';
import { type RuleStep, stateOf } from '../core/rule-step.ts';
import { isSkipped } from './skipped-providers.ts';

type Llm = AgentConfiguration['llm'];

/** The models of the current state in order of preference: the state's or the agent's model, then the fallbacks. */
export function modelsOf(context: CallContext): readonly Llm[] {
  const { llm, fallbacks } = context.agent;
  return [stateOf(context).llm ?? llm, ...fallbacks.llm];
}

/** The service fills in the provider before it stores an agent. */
export function providerOf({ agent }: CallContext, llm: Llm): string {
  return llm.provider ?? agent.llm.provider ?? '';
}

export function modelKey(context: CallContext, llm: Llm): string {
  return `${providerOf(context, llm)} ${llm.model}`;
}

/** 99th percentile of the model's time to first token in earlier calls, in ms; null if it is unknown. */
export function modelLatencyMs({ parameters }: CallContext, key: string): number | null {
  const known = parameters.modelLatencies?.find(({ provider, model }) => `${provider} ${model}` === key);
  return known?.firstTokenP99Ms ?? null;
}

/**
 * The model for the next request: the first one that the call does not skip.
 *
 * @param tried keys of the models that have already failed this request
 */
export function currentModel(step: RuleStep, tried: readonly string[] = []): Llm {
  const models = modelsOf(step.context);
  return (
    models.find((llm) => isModelAvailable(step, llm) && !tried.includes(modelKey(step.context, llm))) ??
    models[0] ??
    step.context.agent.llm
  );
}

/** Whether a model other than the tried ones is available. */
export function hasOtherModel(step: RuleStep, tried: readonly string[]): boolean {
  return modelsOf(step.context).some(
    (llm) => isModelAvailable(step, llm) && !tried.includes(modelKey(step.context, llm)),
  );
}

export function isModelAvailable(step: RuleStep, llm: Llm): boolean {
  return !isSkipped(step.context.failover.modelsFailedUs.get(modelKey(step.context, llm)), step.nowUs);
}
