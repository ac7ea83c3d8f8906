import type { CallContext, Segment } from '../core/context.ts';
import type { Step } from '../core/step.ts';
import { noticeSpoken } from '../failover/voice-failover.ts';
import { count, measureReply } from '../metrics/call-metrics.ts';
import { writeAgentLine } from '../transcript/transcript.ts';
import { dropReply, dropWords } from './drop-reply.ts';
import { watchPlayout, watchVoice } from './playout-watchdogs.ts';
import { changeReply, orderedEnd } from './reply.ts';

/** What the voice and the wire tell of the reply's segments. Segments that were dropped are no longer the reply's. */
export function takePlayoutEvent(step: Step): void {
  const { event } = step;
  switch (event.type) {
    case 'voice.started':
      changeSegment(step, event.segment, (segment) => ({ ...segment, voiceStartedUs: step.nowUs }));
      break;
    case 'voice.words':
      changeSegment(step, event.segment, (segment) => ({ ...segment, words: [...segment.words, ...event.words] }));
      return;
    case 'voice.done':
      changeSegment(step, event.segment, (segment) => ({ ...segment, durationMs: event.durationMs }));
      spoken(step, event.segment);
      break;
    case 'media.segment_started':
      if (event.utterance === step.context.reply?.utterance) begin(step, event.segment, event.playedMs);
      break;
    case 'media.segment_ended':
      if (event.utterance === step.context.reply?.utterance) end(step, event.segment);
      break;
    case 'media.paused':
      if (event.utterance === step.context.reply?.utterance) held(step, event.playedMs);
      return;
    default:
      return;
  }
  watchVoice(step);
  if (!isHeld(step)) watchPlayout(step);
}

function isHeld(step: Step): boolean {
  return step.context.interruption?.verdict === 'open';
}

function changeSegment(step: Step, number: number, change: (segment: Segment) => Segment): void {
  const { reply } = step.context;
  if (reply === null) return;
  changeReply(step, { segments: reply.segments.map((one) => (one.number === number ? change(one) : one)) });
}

function spoken(step: Step, number: number): void {
  const segment = step.context.reply?.segments.find((one) => one.number === number);
  if (segment !== undefined) noticeSpoken(step, segment);
}

function begin(step: Step, number: number, playedMs: number): void {
  const wire = { startedUs: step.nowUs, playedMs };
  changeSegment(step, number, (segment) => ({ ...segment, wire: segment.wire ?? wire }));
  const { reply } = step.context;
  const segment = reply?.segments.find((one) => one.number === number);
  if (reply === null || segment === undefined) return;
  // What only fills the wait is no answer yet.
  if (!reply.measured && segment.item !== reply.oneMoment) {
    measureReply(step, reply, segment);
    changeReply(step, { measured: true });
  }
  writeAgentLine(step, reply, segment.item);
}

function end(step: Step, number: number): void {
  changeSegment(step, number, (segment) => ({ ...segment, ended: true }));
  const { reply } = step.context;
  const segment = reply?.segments.find((one) => one.number === number);
  if (reply !== null && segment !== undefined) writeAgentLine(step, reply, segment.item);
}

function held(step: Step, playedMs: number): void {
  const { interruption } = step.context;
  if (interruption !== null) step.change({ interruption: { ...interruption, playedMs } });
}

/** The playout stops before the next packet; everything behind it is kept. */
export function hold(step: Step): void {
  step.order({ type: 'playout.pause' });
  step.stopTimer('playout');
}

/** It was no interruption: the agent goes on at the very sample. */
export function playOn(step: Step): void {
  const { interruption, reply } = step.context;
  if (interruption !== null) step.change({ interruption: { ...interruption, verdict: 'over' } });
  count(step, 'falseInterruptions');
  step.order({ type: 'playout.resume' });
  const playedMs = interruption?.playedMs;
  const playing = reply?.segments.findLast((segment) => segment.wire !== null && !segment.ended);
  if (playing !== undefined && playedMs != null) {
    changeSegment(step, playing.number, (segment) => ({
      ...segment,
      wire: shifted(segment.wire, step.context.heldUs ?? step.nowUs, playedMs),
    }));
  }
  watchPlayout(step);
}

/** As if it had begun so much later as it was held: what has been played since then follows from the time alone. */
function shifted(wire: Segment['wire'], nowUs: number, playedMs: number): Segment['wire'] {
  if (wire === null) return null;
  const startedUs = nowUs - Math.max(0, playedMs - wire.playedMs) * 1000;
  return { ...wire, startedUs, paused: { untilUs: nowUs, forUs: startedUs - wire.startedUs } };
}

/**
 * A hold or a suspension of the media begins or ends. Once both are over the playout goes on at the very sample, and its
 * clock with it.
 */
export function setHeld(step: Step): void {
  const { heldUs, reply, interruption } = step.context;
  const heldBy = heldByAfter(step);
  step.change({ heldBy });
  const isHeldNow = heldBy.length > 0;
  if (isHeldNow === (heldUs !== null)) return;
  step.change({ heldUs: isHeldNow ? step.nowUs : null });
  const playing = reply?.segments.find((segment) => segment.wire !== null && !segment.ended);
  if (heldUs !== null && playing !== undefined) {
    changeSegment(step, playing.number, ({ wire, ...segment }) => ({
      ...segment,
      wire: wire === null ? null : { ...wire, startedUs: step.nowUs - Math.max(0, heldUs - wire.startedUs) },
    }));
  }
  // A playout that was paused before is watched once it goes on.
  if (interruption?.verdict !== 'open') watchPlayout(step);
}

function heldByAfter({ event, context }: Step): CallContext['heldBy'] {
  const without = (cause: 'control' | 'media') => context.heldBy.filter((one) => one !== cause);
  switch (event.type) {
    case 'control.held':
      return [...without('control'), 'control'];
    case 'control.resumed':
      return without('control');
    case 'media.suspended':
      return [...without('media'), 'media'];
    case 'media.restored':
      return without('media');
    default:
      return context.heldBy;
  }
}

/** Audio that should be on the wire is not: the rest is given up, and the agent listens, or does what it was to do then. */
export function playoutStuck(step: Step): void {
  const after = step.context.reply?.after.type;
  if (after === 'rescue' || after === 'transfer') {
    step.log('error', 'the playout did not go on in time; the caller is handed over');
    dropWords(step);
    return;
  }
  const reason = orderedEnd(step.context);
  if (reason !== null) {
    step.log('error', 'the playout did not go on in time; the call ends as it was to');
    step.raise({ type: 'engine.end', reason: reason === 'voicemail_left' ? 'media_error' : reason });
    return;
  }
  step.log('error', 'the playout did not go on in time; the agent listens again');
  dropReply(step, 'playout');
  step.change({ owed: false });
}
