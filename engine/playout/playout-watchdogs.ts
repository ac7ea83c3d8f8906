import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { Segment } from '../core/state/playout-slice.ts';
import { voiceTimeoutMs } from '../current-providers/provider-timeouts.ts';
import { isReplyWithheld } from './withheld-reply.ts';

/**
 * Longest wait for the playout: after the voice's first audio, and past the expected end of a segment. A media worker may
 * stand still for three seconds before its successor takes the call, which then reports a suspension; the audio is late
 * by that time.
 */
const PLAYOUT_SLACK_MS = 4_000;
/** Upper bound of a voice's time per character, pauses included. */
const CHARACTER_MS_MAX = 200;
/** Added to the bound of each segment, for short texts. */
const SEGMENT_BASE_MS = 5_000;

/** The segment that the voice is working on: it speaks one after another. */
export function segmentInSynthesis({ reply }: CallContext): Segment | undefined {
  return reply?.segments.find((segment) => segment.durationMs === null && !segment.ended);
}

/**
 * Bounds the wait for a segment's first audio. The deadline counts from the start of the voice's work on that segment;
 * later text for the voice does not move it. `watchPlayout` bounds a segment that has audio.
 */
export function watchVoice(step: RuleStep): void {
  if (step.context.failover.voice.waitingFrom !== null) return;
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

/**
 * Bounds the wait for the start and for the end on the wire of a segment that has audio. There is no deadline while the
 * reply is withheld, the call is on hold or its media is suspended.
 */
export function watchPlayout(step: RuleStep): void {
  const segment = step.context.reply?.segments.find(({ voiceStartedUs, ended }) => voiceStartedUs !== null && !ended);
  if (segment === undefined || isReplyWithheld(step.context) || step.context.haltedSinceUs !== null) {
    step.stopTimer('playout');
    return;
  }
  if (segment.playout === null) {
    step.startTimer('playout', PLAYOUT_SLACK_MS);
    return;
  }
  const playedMs = (step.nowUs - segment.playout.startedUs) / 1000;
  const lengthMs = segment.durationMs ?? SEGMENT_BASE_MS + segment.text.length * CHARACTER_MS_MAX;
  step.startTimer('playout', Math.ceil(Math.max(0, lengthMs - playedMs) + PLAYOUT_SLACK_MS));
}

const REPLY_TIMERS = ['generation', 'playout', 'interruption'] as const;

export function stopReplyTimers(step: RuleStep): void {
  awaitSegment(step, null);
  const { failover } = step.context;
  if (failover.voice.waitingFrom !== null) {
    step.change({ failover: { ...failover, voice: { ...failover.voice, waitingFrom: null } } });
    step.stopTimer('voice');
  }
  for (const timer of REPLY_TIMERS) step.stopTimer(timer);
}
