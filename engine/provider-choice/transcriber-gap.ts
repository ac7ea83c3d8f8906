import type { AgentConfiguration } from '../agent/agent.ts';
import type { CallContext } from '../core/context.ts';
import type { TranscriberState } from '../core/state/failover.ts';
import type { RuleStep } from '../core/step.ts';
import type { TranscriberTraits } from '../ports/transcriber.ts';

/** The last word ends so much before the speech does, as voice activity tells it. */
const WORD_END_SLACK_MS = 300;

/** Of the transcriber that listens now. */
export function transcriberTraits({ parameters, failover }: CallContext): TranscriberTraits {
  const { transcriberTraits: own, fallbackTranscriberTraits = [] } = parameters;
  return [own, ...fallbackTranscriberTraits][failover.transcriber.place] ?? own;
}

export function transcriberInUse({ agent, failover }: CallContext): AgentConfiguration['transcriber'] {
  return [agent.transcriber, ...agent.fallbacks.transcriber][failover.transcriber.place] ?? agent.transcriber;
}

/** The stream was lost during speech of the user: no turn is committed until its words are known. */
export function isPartlyTranscribed(step: RuleStep): boolean {
  return step.context.failover.transcriber.gap !== null && hasUntranscribedSpeech(step);
}

/** Something was said behind the last final. */
export function hasUntranscribedSpeech(step: RuleStep): boolean {
  const { speaking, interim, endedUs, startedUs, finalUntilMs, committedUntilMs } = step.context.userTurn;
  if (speaking || interim !== null) return true;
  const saidUs = endedUs ?? startedUs;
  if (saidUs === null) return false;
  const saidMs = (saidUs - step.time.audioEpochUs) / 1000;
  return saidMs > Math.max(finalUntilMs, committedUntilMs) + WORD_END_SLACK_MS;
}

/** Words have been heard: the gap is closed where they reach past it, or to the end of what was said. */
export function closeGapOnceCaughtUp(step: RuleStep): void {
  const { event } = step;
  const { gap } = step.context.failover.transcriber;
  if (gap?.phase !== 'catchingUp') return;
  const { speaking, endedUs } = step.context.userTurn;
  const saidMs = speaking || endedUs === null ? gap.lostMs : (endedUs - step.time.audioEpochUs) / 1000;
  if (event.type === 'transcriber.utterance_end') closeGap(step);
  if (event.type !== 'transcriber.interim' && event.type !== 'transcriber.final' && event.type !== 'transcriber.turn')
    return;
  if (event.endMs + WORD_END_SLACK_MS >= Math.min(saidMs, gap.lostMs)) closeGap(step);
}

export function closeGap(step: RuleStep): void {
  changeTranscriberState(step, { gap: null });
  step.stopTimer('transcriber');
}

export function changeTranscriberState(step: RuleStep, changed: Partial<TranscriberState>): void {
  const { failover } = step.context;
  step.change({ failover: { ...failover, transcriber: { ...failover.transcriber, ...changed } } });
}
