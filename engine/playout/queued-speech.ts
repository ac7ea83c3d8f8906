import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { Reply } from '../core/state/playout-slice.ts';
import { isSpeechInterruptible } from '../interruption/interruption.ts';
import { splitSentences } from '../languages/sentence-splitter.ts';
import { addAgentItem } from '../transcript/history.ts';
import { playedTextOf } from '../transcript/played-text.ts';
import { dropReply } from './drop-reply.ts';
import { queueTexts } from './kept-texts.ts';
import { playbackPositionMs } from './playback-position.ts';
import { changeReply, setFollowUp, speakSegment, startReply } from './reply.ts';

/**
 * A say or transfer request interrupts the reply. The model is asked again only if no word of its answer was heard, or if it was
 * to answer after the reply.
 */
export function interruptForQueuedSpeech(step: RuleStep): void {
  const { pendingResponse, reply } = step.context;
  const isUnanswered = reply !== null && hasUnheardAnswer(reply, playbackPositionMs(step.context, step.nowUs));
  dropReply(step, 'queuedSpeech');
  step.change({ pendingResponse: pendingResponse || isUnanswered });
}

/** No word of the model's latest text was heard, or the model must learn that the reply's follow-up is cancelled. */
function hasUnheardAnswer(
  { requestPending, modelRequests, generation, segments, followUp }: Reply,
  playedMs: number,
): boolean {
  if (followUp.type !== 'listen') return true;
  const item = generation?.item ?? segments.at(-1)?.item;
  const isHeard = segments.some((segment) => segment.item === item && playedTextOf(segment, playedMs) !== '');
  return requestPending || (modelRequests > 0 && !isHeard);
}

export function queueSpeech(step: RuleStep): void {
  if (step.event.type !== 'call.say') return;
  const { text, interruptible = true } = step.event;
  queueTexts(step, [...step.context.queuedSpeech, { text, interruptible }]);
}

/** A later transfer request replaces one that still waits. */
export function queueTransfer(step: RuleStep): void {
  if (step.event.type !== 'call.transfer') return;
  const { announcement, request } = step.event;
  const { queuedSpeech } = step.context;
  if (announcement !== undefined) queueTexts(step, [...queuedSpeech, { text: announcement, interruptible: false }]);
  step.change({ queuedTransfer: request });
}

export function sayQueuedSpeech(step: RuleStep): void {
  const { queuedSpeech, queuedTransfer } = step.context;
  startReply(step, null);
  step.change({ queuedSpeech: [], queuedTransfer: null });
  const keptTexts = queuedSpeech.map((text) => ({ item: addAgentItem(step), text }));
  changeReply(step, { keptTexts });
  if (queuedTransfer !== null) setFollowUp(step, { type: 'requested_transfer', request: queuedTransfer });
  for (const { item, text } of keptTexts) {
    for (const sentence of splitSentences(text.text, step.context.agent.language))
      speakSegment(step, item, sentence, { interruptible: text.interruptible });
  }
}

export function hasQueuedSpeech({ queuedSpeech, queuedTransfer }: CallContext): boolean {
  return queuedSpeech.length > 0 || queuedTransfer !== null;
}

/** A say or transfer request that interrupts the reply. */
export function requestInterrupts({ reply }: CallContext, event: RuleStep['event']): boolean {
  const interrupts = event.type === 'call.transfer' || (event.type === 'call.say' && event.interrupt);
  return interrupts && reply !== null && isSpeechInterruptible(reply);
}
