import type { AgentConfiguration } from '../agent/agent-schema.ts';
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

/** The model for the next request. */
export function currentModel(step: RuleStep, tried: readonly string[] = []): Llm {
  return nextModel(step, tried) ?? modelsOf(step.context)[0] ?? step.context.agent.llm;
}

/**
 * The first model that the call does not skip; if it skips all, the one that failed first. Null if every model is
 * excluded.
 *
 * @param excluded keys of models, for example those that have already failed this request
 */
export function nextModel(step: RuleStep, excluded: readonly string[]): Llm | null {
  const { modelsFailedUs } = step.context.failover;
  const models = modelsOf(step.context).filter((llm) => !excluded.includes(modelKey(step.context, llm)));
  const failedUs = (llm: Llm) => modelsFailedUs.get(modelKey(step.context, llm)) ?? 0;
  return (
    models.find((llm) => isModelAvailable(step, llm)) ?? models.toSorted((a, b) => failedUs(a) - failedUs(b))[0] ?? null
  );
}

export function modelNamed(context: CallContext, key: string): Llm {
  return modelsOf(context).find((llm) => modelKey(context, llm) === key) ?? context.agent.llm;
}

/** Whether a model other than the tried ones is available. */
export function hasOtherModel(step: RuleStep, tried: readonly string[]): boolean {
  return modelsOf(step.context).some(
    (llm) => isModelAvailable(step, llm) && !tried.includes(modelKey(step.context, llm)),
  );
}

function isModelAvailable(step: RuleStep, llm: Llm): boolean {
  return !isSkipped(step.context.failover.modelsFailedUs.get(modelKey(step.context, llm)), step.nowUs);
}
