import type { RuleStep } from '../core/rule-step.ts';

/** The agent's audio, or a halt of it, ends now: the clock of silence counts from here. */
export function markAgentSound(step: RuleStep, afterFiller: boolean): void {
  step.change({ fillers: { ...step.context.fillers, agentSoundUs: step.nowUs, afterFiller } });
}
