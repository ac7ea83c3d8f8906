import type { RuleStep } from '../core/rule-step.ts';
import type { Segment } from '../core/state/playout-slice.ts';
import { firstWordEndMs, segmentPlayedMs } from '../transcript/played-text.ts';
import { writeAgentEntry } from '../transcript/transcript.ts';
import { isPlaybackPaused, playbackPositionMs } from './playback-position.ts';

/** While nothing is played, the playback position is read again after this time, in ms. */
const RECHECK_MS = 500;

/** Writes the segment's words into the transcript, or starts the timer that does so once the first one was heard. */
export function writeHeardText(step: RuleStep, segment: Segment): void {
  const { haltedSinceUs, reply } = step.context;
  if (reply === null) return;
  const playedMs = playbackPositionMs(step.context, step.nowUs);
  if (writeAgentEntry(step, reply, segment.item, playedMs) || segment.ended) return;
  const leftMs = Math.ceil(firstWordEndMs(segment) - segmentPlayedMs(segment, playedMs));
  const isHalted = haltedSinceUs !== null || isPlaybackPaused(step.context);
  step.startTimer('agent_entry', Math.max(1, leftMs, isHalted ? RECHECK_MS : 0));
}

export function onAgentEntryTimer(step: RuleStep): void {
  const playing = step.context.reply?.segments.findLast(({ playout, ended }) => playout !== null && !ended);
  if (playing !== undefined) writeHeardText(step, playing);
}
