import type { AgentConfiguration } from '../agent/agent.ts';
import type { CallContext } from '../core/context.ts';
import type { TranscriberLink } from '../core/failover-state.ts';
import type { Step } from '../core/step.ts';
import type { TranscriberTraits } from '../ports/transcriber.ts';

/** The last word ends so much before the speech does, as voice activity tells it. */
const WORD_END_SLACK_MS = 300;

/** Of the transcriber that listens now. */
export function transcriberTraits({ facts, failover }: CallContext): TranscriberTraits {
  const { transcriberTraits: own, fallbackTranscriberTraits = [] } = facts;
  return [own, ...fallbackTranscriberTraits][failover.transcriber.place] ?? own;
}

export function transcriberInUse({ agent, failover }: CallContext): AgentConfiguration['transcriber'] {
  return [agent.transcriber, ...agent.fallbacks.transcriber][failover.transcriber.place] ?? agent.transcriber;
}

/** The stream was lost on words of the caller: no turn is taken until they are known whole. */
export function isHalfHeard(step: Step): boolean {
  return step.context.failover.transcriber.gap !== null && hasUnheard(step);
}

/** Something was said behind the last final. */
export function hasUnheard(step: Step): boolean {
  const { speaking, interim, endedUs, startedUs, finalUntilMs, takenUntilMs } = step.context.caller;
  if (speaking || interim !== null) return true;
  const saidUs = endedUs ?? startedUs;
  if (saidUs === null) return false;
  const saidMs = (saidUs - step.moment.audioEpochUs) / 1000;
  return saidMs > Math.max(finalUntilMs, takenUntilMs) + WORD_END_SLACK_MS;
}

/** Words have been heard: the gap is closed where they reach past it, or to the end of what was said. */
export function noticeCaughtUp(step: Step): void {
  const { event } = step;
  const { gap } = step.context.failover.transcriber;
  if (gap?.phase !== 'catchingUp') return;
  const { speaking, endedUs } = step.context.caller;
  const saidMs = speaking || endedUs === null ? gap.lostMs : (endedUs - step.moment.audioEpochUs) / 1000;
  if (event.type === 'transcriber.utterance_end') endGap(step);
  if (event.type !== 'transcriber.interim' && event.type !== 'transcriber.final' && event.type !== 'transcriber.turn')
    return;
  if (event.endMs + WORD_END_SLACK_MS >= Math.min(saidMs, gap.lostMs)) endGap(step);
}

export function endGap(step: Step): void {
  changeLink(step, { gap: null });
  step.stopTimer('transcriber');
}

export function changeLink(step: Step, changed: Partial<TranscriberLink>): void {
  const { failover } = step.context;
  step.change({ failover: { ...failover, transcriber: { ...failover.transcriber, ...changed } } });
}
