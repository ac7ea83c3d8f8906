import type { AgentConfiguration } from '../agent/agent-schema.ts';
import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { TranscriberState } from '../core/state/failover-slice.ts';
import type { TranscriberTraits } from '../ports/transcriber.ts';

/** Traits of the current transcriber. */
export function transcriberTraits({ parameters, failover }: CallContext): TranscriberTraits {
  const { transcriberTraits: first, fallbackTranscriberTraits = [] } = parameters;
  return [first, ...fallbackTranscriberTraits][failover.transcriber.index] ?? first;
}

/** Error of word times of a transcriber whose traits give none, in ms. */
const WORD_TIME_ERROR_MS = 400;

/** How far the times of a transcriber's words may lie from the sound, in ms. */
export function wordTimeErrorMs({ wordEndSlackMs = WORD_TIME_ERROR_MS }: TranscriberTraits): number {
  return wordEndSlackMs;
}

/** The transcriber decides when a user turn ends. */
export function providerEndsTurns(context: CallContext): boolean {
  return !rulesEndTurns(context) && transcriberTraits(context).detectsTurns;
}

/** The agent's rules decide when a user turn ends, whatever the transcriber detects. */
export function rulesEndTurns({ agent }: CallContext): boolean {
  return agent.turn_detection === 'rules' || agent.turn_detection === 'model';
}

/** Settings of the current transcriber. */
export function currentTranscriber({ agent, failover }: CallContext): AgentConfiguration['transcriber'] {
  return transcriberAt(agent, failover.transcriber.index);
}

function transcriberAt(agent: AgentConfiguration, index: number): AgentConfiguration['transcriber'] {
  return [agent.transcriber, ...agent.fallbacks.transcriber][index] ?? agent.transcriber;
}

/** Provider and model for the log. */
export function transcriberName(agent: AgentConfiguration, index: number): string {
  const { provider, model } = transcriberAt(agent, index);
  return model === undefined ? provider : `${provider} ${model}`;
}

export function changeTranscriberState(step: RuleStep, changed: Partial<TranscriberState>): void {
  const { failover } = step.context;
  step.change({ failover: { ...failover, transcriber: { ...failover.transcriber, ...changed } } });
}
