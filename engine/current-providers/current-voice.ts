import type { AgentConfiguration } from '../agent/agent-schema.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { VoiceState } from '../core/state/failover-slice.ts';
import type { Segment } from '../core/state/playout-slice.ts';

/** Shorter texts are too inaccurate for the measurement. */
const PACE_CHARACTERS_MIN = 10;

export function voiceAt({ voice, fallbacks }: AgentConfiguration, index: number): AgentConfiguration['voice'] {
  return [voice, ...fallbacks.voice][index] ?? voice;
}

/** Provider and voice for the log. */
export function voiceName(agent: AgentConfiguration, index: number): string {
  const { provider, name } = voiceAt(agent, index);
  return `${provider} ${name}`;
}

/** A segment is complete: resets the voice's failures and measures its time per character. */
export function measureVoicePace(step: RuleStep, { text, durationMs }: Segment): void {
  if (durationMs === null || durationMs === 0) return;
  const { failover, reply } = step.context;
  const { characterMs } = failover.voice;
  const pace = text.length < PACE_CHARACTERS_MIN ? characterMs : durationMs / text.length;
  changeVoiceState(step, { retriesUs: [], failedSinceUs: null, delays: 0, characterMs: pace });
  // An apology comes from the phrase cache and does not prove that the voice works.
  const { failedTurns } = failover;
  if (failedTurns?.reason === 'voice_error' && failedTurns.reply !== reply?.number)
    step.change({ failover: { ...step.context.failover, failedTurns: null } });
}

export function changeVoiceState(step: RuleStep, changed: Partial<VoiceState>): void {
  const { failover } = step.context;
  step.change({ failover: { ...failover, voice: { ...failover.voice, ...changed } } });
}
