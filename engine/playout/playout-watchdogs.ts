import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { Segment } from '../core/state/playout-slice.ts';
import { voiceTimeoutMs } from '../current-providers/provider-timeouts.ts';

/** From the voice's first audio to the wire, and past the end of a segment: the playout is silent no longer. */
const PLAYOUT_SLACK_MS = 1_000;
/** No voice speaks a character for longer than this, with the pauses of its sentence. */
const CHARACTER_MAX_MS = 200;
const SEGMENT_LEAST_MS = 5_000;

/** The segment that the voice is at: it speaks them one after another. */
export function segmentInSynthesis({ reply }: CallContext): Segment | undefined {
  return reply?.segments.find((segment) => segment.durationMs === null && !segment.ended);
}

/**
 * The voice still has to send the first audio of a segment, from when it has come to it: what is given to it at the same time moves nothing.
 * One that it has begun is the playout's to watch.
 */
export function watchVoice(step: RuleStep): void {
  const next = segmentInSynthesis(step.context);
  awaitSegment(step, next?.voiceStartedUs === null ? next.number : null);
}

function awaitSegment(step: RuleStep, segment: number | null): void {
  const { failover } = step.context;
  if (failover.voice.awaitedSegment === segment) return;
  step.change({ failover: { ...failover, voice: { ...failover.voice, awaitedSegment: segment } } });
  if (segment === null) step.stopTimer('voice');
  else step.startTimer('voice', voiceTimeoutMs(step));
}

/** The wire still has to send the start or the end of a segment whose audio is there; while the call is on hold, or its media suspended, it has no deadline. */
export function watchPlayout(step: RuleStep): void {
  const due = step.context.reply?.segments.find((segment) => segment.voiceStartedUs !== null && !segment.ended);
  if (due === undefined || step.context.haltedSinceUs !== null) {
    step.stopTimer('playout');
    return;
  }
  if (due.playout === null) {
    step.startTimer('playout', PLAYOUT_SLACK_MS);
    return;
  }
  const playedMs = (step.nowUs - due.playout.startedUs) / 1000;
  const lengthMs = due.durationMs ?? SEGMENT_LEAST_MS + due.text.length * CHARACTER_MAX_MS;
  step.startTimer('playout', Math.ceil(Math.max(0, lengthMs - playedMs) + PLAYOUT_SLACK_MS));
}

const REPLY_TIMERS = ['generation', 'thinking_filler', 'playout', 'interruption'] as const;

export function stopReplyTimers(step: RuleStep): void {
  awaitSegment(step, null);
  for (const timer of REPLY_TIMERS) step.stopTimer(timer);
}
