import type { CallContext } from '../core/context.ts';
import { isReplyAudible } from '../core/reply-progress.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { Segment } from '../core/state/playout-slice.ts';
import { measureVoicePace } from '../current-providers/current-voice.ts';
import { isInterruptionTentative } from '../interruption/interruption.ts';
import { countInTurn } from '../metrics/conversation-metrics.ts';
import { commitPendingTurn } from '../turn-detection/commit-turn.ts';
import { writeHeardText } from './agent-entry.ts';
import { markAgentSound } from './agent-sound.ts';
import { dropRemainingSpeech, dropReply } from './drop-reply.ts';
import { watchPlayout, watchVoice } from './playout-watchdogs.ts';
import { changeReply, endReasonAfterReply, isTransfer } from './reply.ts';

/** Pauses of a segment that are remembered: a noisy line makes two, words a few more. */
const PAUSES_MAX = 8;

/** Events of the voice and the playout for the segments of the reply. Events of dropped segments are ignored. */
export function onPlayoutEvent(step: RuleStep): void {
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
      onSegmentSpoken(step, event.segment);
      break;
    case 'media.segment_started':
      if (event.utterance === step.context.reply?.number) onSegmentStarted(step, event.segment, event.playedMs);
      break;
    case 'media.segment_ended':
      if (event.utterance === step.context.reply?.number) onSegmentEnded(step, event.segment);
      break;
    case 'media.resumed':
      if (event.utterance === step.context.reply?.number) onReplayed(step, event.replayedMs);
      return;
    case 'media.paused':
      if (event.utterance === step.context.reply?.number) onPaused(step, event.playedMs);
      return;
    default:
      return;
  }
  watchVoice(step);
  if (!isInterruptionTentative(step.context)) watchPlayout(step);
}

function changeSegment(step: RuleStep, number: number, change: (segment: Segment) => Segment): void {
  const { reply } = step.context;
  if (reply === null) return;
  changeReply(step, {
    segments: reply.segments.map((segment) => (segment.number === number ? change(segment) : segment)),
  });
}

function onSegmentSpoken(step: RuleStep, number: number): void {
  const segment = step.context.reply?.segments.find((candidate) => candidate.number === number);
  if (segment !== undefined) measureVoicePace(step, segment);
}

function onSegmentStarted(step: RuleStep, number: number, playedMs: number): void {
  commitPendingTurn(step);
  const playout = { startedUs: step.nowUs, startMs: playedMs };
  changeSegment(step, number, (segment) => ({ ...segment, playout: segment.playout ?? playout }));
  const { reply } = step.context;
  const segment = reply?.segments.find((candidate) => candidate.number === number);
  if (reply === null || segment === undefined) return;
  if (!reply.fillerSegments.includes(number)) step.change({ unheardAnswers: 0 });
  writeHeardText(step, segment);
}

function onSegmentEnded(step: RuleStep, number: number): void {
  changeSegment(step, number, (segment) => {
    const playout = segment.playout === null ? null : { ...segment.playout, endedUs: step.nowUs };
    return { ...segment, playout, ended: true };
  });
  const { reply, runningTools } = step.context;
  const segment = reply?.segments.find((candidate) => candidate.number === number);
  if (reply === null || segment === undefined) return;
  const isDuringTool = runningTools.some((tool) => tool.reply !== reply.number);
  markAgentSound(step, isDuringTool || reply.fillerSegments.includes(number));
  writeHeardText(step, segment);
}

function onPaused(step: RuleStep, playedMs: number): void {
  const { interruption } = step.context;
  if (interruption !== null) step.change({ interruption: { ...interruption, playedMs } });
}

/** Playback was rewound: it reaches its earlier position after this time. */
function onReplayed(step: RuleStep, replayedMs: number): void {
  const playing = step.context.reply?.segments.findLast((segment) => segment.playout !== null && !segment.ended);
  if (playing === undefined) return;
  changeSegment(step, playing.number, (segment) => ({
    ...segment,
    playout: rewound(segment.playout, replayedMs * 1000),
  }));
}

/** Moves the start by the audio that is played again. Audio from before the pause left that much earlier than the new start implies. */
function rewound(playout: Segment['playout'], replayedUs: number): Segment['playout'] {
  if (playout === null) return null;
  const { startedUs, pauses = [] } = playout;
  const last = pauses.at(-1);
  const moved = { ...playout, startedUs: startedUs + replayedUs };
  if (last === undefined) return moved;
  return { ...moved, pauses: [...pauses.slice(0, -1), { ...last, durationUs: last.durationUs + replayedUs }] };
}

/** The playout stops before the next packet; the queued audio is kept. */
export function pausePlayback(step: RuleStep): void {
  step.command({ type: 'playout.pause' });
  step.stopTimer('playout');
  if (isReplyAudible(step.context)) markAgentSound(step, false);
}

/** The interruption was rejected: playback resumes. */
export function resumePlayback(step: RuleStep): void {
  const { interruption, reply } = step.context;
  if (interruption !== null) step.change({ interruption: { ...interruption, status: 'resumed' } });
  const playing = reply?.segments.findLast((segment) => segment.playout !== null && !segment.ended);
  // A pause before the first packet, or between two segments, was not heard.
  if (reply !== null && playing !== undefined) {
    changeReply(step, { falsePauses: reply.falsePauses + 1 });
    countInTurn(step, 'falseInterruptions');
  }
  step.command({ type: 'playout.resume' });
  const playedMs = interruption?.playedMs;
  if (playing !== undefined && playedMs != null) {
    changeSegment(step, playing.number, (segment) => ({
      ...segment,
      playout: shifted(segment.playout, step.context.haltedSinceUs ?? step.nowUs, playedMs),
    }));
  }
  watchPlayout(step);
}

/** Moves the start of a segment by the length of the pause: the time since then is again the time played. */
function shifted(playout: Segment['playout'], nowUs: number, playedMs: number): Segment['playout'] {
  if (playout === null) return null;
  const startedUs = nowUs - Math.max(0, playedMs - playout.startMs) * 1000;
  const pause = { untilUs: nowUs, durationUs: startedUs - playout.startedUs };
  return { ...playout, startedUs, pauses: [...(playout.pauses ?? []), pause].slice(-PAUSES_MAX) };
}

/**
 * SIP hold or a suspension of the media begins or ends. Once both are over, playout continues at the exact sample; the
 * start of the segment moves by the time of the halt.
 */
export function updateHalt(step: RuleStep): void {
  const { haltedSinceUs, reply } = step.context;
  const haltedBy = haltedByAfter(step);
  step.change({ haltedBy });
  const isHaltedNow = haltedBy.length > 0;
  if (isHaltedNow === (haltedSinceUs !== null)) return;
  step.change({ haltedSinceUs: isHaltedNow ? step.nowUs : null });
  if (!isHaltedNow) markAgentSound(step, false);
  const playing = reply?.segments.find((segment) => segment.playout !== null && !segment.ended);
  if (haltedSinceUs !== null && playing !== undefined) {
    changeSegment(step, playing.number, ({ playout, ...segment }) => ({
      ...segment,
      playout:
        playout === null
          ? null
          : { ...playout, startedUs: step.nowUs - Math.max(0, haltedSinceUs - playout.startedUs) },
    }));
  }
  // Paused playback gets its deadline when it resumes.
  if (!isInterruptionTentative(step.context)) watchPlayout(step);
}

function haltedByAfter({ event, context }: RuleStep): CallContext['haltedBy'] {
  const without = (cause: 'control' | 'media') => context.haltedBy.filter((other) => other !== cause);
  switch (event.type) {
    case 'control.on_hold':
      return [...without('control'), 'control'];
    case 'control.off_hold':
      return without('control');
    case 'media.suspended':
      return [...without('media'), 'media'];
    case 'media.restored':
      return without('media');
    default:
      return context.haltedBy;
  }
}

/** The playout sent no audio in time: the rest of the speech is dropped, and the reply's follow-up happens now. */
export function onPlayoutTimeout(step: RuleStep): void {
  const { reply } = step.context;
  if (reply !== null && isTransfer(reply.followUp)) {
    step.log({ type: 'playout_stalled', next: 'transfer' });
    dropRemainingSpeech(step);
    return;
  }
  const reason = endReasonAfterReply(step.context);
  if (reason !== null) {
    step.log({ type: 'playout_stalled', next: 'end' });
    step.raise({ type: 'engine.end', reason: reason === 'voicemail_left' ? 'media_error' : reason });
    return;
  }
  step.log({ type: 'playout_stalled', next: 'listen' });
  dropReply(step, 'playout');
  step.change({ pendingResponse: false });
}
