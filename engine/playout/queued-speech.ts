import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { KeptText, QueuedText, Reply } from '../core/state/playout-slice.ts';
import { isSpeechInterruptible } from '../interruption/interruption.ts';
import { splitSentences } from '../languages/sentence-splitter.ts';
import { addAgentItem } from '../transcript/history.ts';
import { playedTextOf } from '../transcript/played-text.ts';
import { writeTransfer } from '../transcript/transcript.ts';
import { DROP_REASONS, dropReply } from './drop-reply.ts';
import { playbackPositionMs } from './playback-position.ts';
import { changeReply, setFollowUp, speakSegment, startReply } from './reply.ts';
import { queueTexts } from './unheard-speech.ts';

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
  step.change({ queuedTransfer: { request, announcement } });
}

export function sayQueuedSpeech(step: RuleStep): void {
  const { queuedSpeech, queuedTransfer } = step.context;
  startReply(step, null);
  step.change({ queuedSpeech: [], queuedTransfer: null });
  for (const text of queuedSpeech) sayKeptText(step, text, text);
  if (queuedTransfer === null) return;
  setFollowUp(step, { type: 'requested_transfer', ...queuedTransfer });
  const { announcement } = queuedTransfer;
  if (announcement !== undefined) sayKeptText(step, 'announcement', { text: announcement, interruptible: false });
}

function sayKeptText(step: RuleStep, kept: KeptText['text'], { text, interruptible }: QueuedText): void {
  const { reply, agent } = step.context;
  if (reply === null) return;
  const item = addAgentItem(step);
  changeReply(step, { keptTexts: [...reply.keptTexts, { item, text: kept }] });
  for (const sentence of splitSentences(text, agent.language)) speakSegment(step, item, sentence, { interruptible });
}

/** The agent leaves the call: a transfer that still waits is reported as failed. */
export function failQueuedTransfer(step: RuleStep): void {
  const { queuedTransfer } = step.context;
  if (queuedTransfer === null) return;
  writeTransfer(step, queuedTransfer.request, 'failed', DROP_REASONS.end);
  step.change({ queuedTransfer: null });
}

export function hasQueuedSpeech({ queuedSpeech, queuedTransfer }: CallContext): boolean {
  return queuedSpeech.length > 0 || queuedTransfer !== null;
}

/** A say or transfer request that interrupts the reply. */
export function requestInterrupts({ reply }: CallContext, event: RuleStep['event']): boolean {
  const interrupts = event.type === 'call.transfer' || (event.type === 'call.say' && event.interrupt);
  return interrupts && reply !== null && isSpeechInterruptible(reply);
}
