import type { CallContext } from '../core/context.ts';
import { isReplyAudible } from '../core/reply-progress.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { LastTurn } from '../core/state/turn-detection-slice.ts';
import { reopenRecord } from '../metrics/record-turn.ts';
import { markAgentSound } from '../playout/agent-sound.ts';
import { clearSpeech, interruptReply } from '../playout/drop-reply.ts';
import { isPlaybackPaused, playbackPositionMs } from '../playout/playback-position.ts';
import { stopReplyTimers } from '../playout/playout-watchdogs.ts';
import { rememberPlayedSegments } from '../playout/reply.ts';
import { keepUnheardSpeech } from '../playout/unheard-speech.ts';
import { isAnswerUnheard, reopenUserItem } from '../transcript/history.ts';
import { playedTextOf } from '../transcript/played-text.ts';
import { reopenLastTurn } from '../turn-detection/reopen-last-turn.ts';
import { entryText } from '../user-speech/commit-mark.ts';

/** The user interrupts. If no word of the answer was heard, their turn goes on; otherwise their next one begins. */
export function interruptAnswer(step: RuleStep): void {
  countUnheardAnswer(step);
  const turn = unheardTurn(step.context, step.nowUs);
  if (turn === null) interruptReply(step);
  else reopenTurn(step, turn);
}

function countUnheardAnswer(step: RuleStep): void {
  const { reply, unheardAnswers } = step.context;
  const wasHeard = reply?.segments.some(
    ({ number, playout }) => playout !== null && !reply.fillerSegments.includes(number),
  );
  if (wasHeard !== true) step.change({ unheardAnswers: unheardAnswers + 1 });
}

/** The turn whose answer has begun, if no word of the answer was heard and no tool of it has run. */
function unheardTurn(context: CallContext, nowUs: number): LastTurn | null {
  const { history, lastTurn, reply, userTurn } = context;
  if (reply === null || reply.followUp.type !== 'listen' || lastTurn === null) return null;
  if (!isAnswerUnheard(context) || userTurn.entry !== null) return null;
  const at = history.findIndex(({ id }) => id === lastTurn.item);
  const isAnswerOnly = history.slice(at + 1).every((item) => item.type === 'agent' && item.calls.length === 0);
  if (at < 0 || !isAnswerOnly || entryText(userTurn.speech, lastTurn.entry.sequence) === '') return null;
  const playedMs = playbackPositionMs(context, nowUs);
  return reply.segments.every((segment) => playedTextOf(segment, playedMs) === '') ? lastTurn : null;
}

function reopenTurn(step: RuleStep, turn: LastTurn): void {
  const { reply } = step.context;
  if (reply === null || turn.item === null) return;
  const { generation } = reply;
  const playedMs = playbackPositionMs(step.context, step.nowUs);
  if (generation !== null && !generation.hasEnded)
    step.command({ type: 'model.cancel', generation: generation.number });
  const isPaused = isPlaybackPaused(step.context);
  clearSpeech(step, reply);
  if (isPaused) step.command({ type: 'playout.resume' });
  stopReplyTimers(step);
  keepUnheardSpeech(step, reply, playedMs);
  rememberPlayedSegments(step);
  if (isReplyAudible(step.context) && !isPaused) markAgentSound(step, false);
  reopenUserItem(step, turn.item);
  step.change({ reply: null, interruption: null, corrections: [] });
  reopenLastTurn(step, turn);
  reopenRecord(step);
}
