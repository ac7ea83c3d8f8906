import type { AgentConfiguration } from '../agent/agent.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { VoiceState } from '../core/state/failover-slice.ts';
import type { Segment } from '../core/state/playout-slice.ts';

/** Shorter texts are too inaccurate for the measurement. */
const PACE_MIN_CHARACTERS = 10;

export function voiceAt({ voice, fallbacks }: AgentConfiguration, index: number): AgentConfiguration['voice'] {
  return [voice, ...fallbacks.voice][index] ?? voice;
}

/** Provider and voice for the log. */
export function voiceName(agent: AgentConfiguration, index: number): string {
  const { provider, name } = voiceAt(agent, index);
  return `${provider} ${name}`;
}

/** A segment is complete: resets the voice's retries and measures its time per character. */
export function measureVoicePace(step: RuleStep, { text, durationMs }: Segment): void {
  if (durationMs === null || durationMs === 0) return;
  const { characterMs } = step.context.failover.voice;
  const pace = text.length < PACE_MIN_CHARACTERS ? characterMs : durationMs / text.length;
  changeVoiceState(step, { retriesUs: [], characterMs: pace });
}

export function changeVoiceState(step: RuleStep, changed: Partial<VoiceState>): void {
  const { failover } = step.context;
  step.change({ failover: { ...failover, voice: { ...failover.voice, ...changed } } });
}
