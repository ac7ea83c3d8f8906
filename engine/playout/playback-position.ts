import type { CallContext } from '../core/context.ts';
import { isVoicedAhead } from './withheld-reply.ts';

/** Whether an interruption, or a user who may go on, has paused playback, and playback has not resumed yet. */
export function isPlaybackPaused(context: CallContext): boolean {
  const { interruption, reply } = context;
  if (reply?.pending?.phase === 'withheld' || isVoicedAhead(context)) return true;
  return interruption !== null && interruption.status !== 'resumed' && interruption.status !== 'suspected';
}

/** The reply's playback position, in ms: that of its last segment on the wire, and the time since then. */
export function playbackPositionMs(context: CallContext, nowUs: number): number {
  const { reply, interruption, haltedSinceUs } = context;
  if (isPlaybackPaused(context) && interruption?.playedMs != null) return interruption.playedMs;
  const segment = reply?.segments.findLast((candidate) => candidate.playout !== null);
  if (segment?.playout == null) return 0;
  const { startedUs, startMs } = segment.playout;
  const elapsedMs = Math.max(0, (haltedSinceUs ?? nowUs) - startedUs) / 1000;
  return startMs + (segment.durationMs === null ? elapsedMs : Math.min(elapsedMs, segment.durationMs));
}
