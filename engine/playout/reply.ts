import type { AfterReply, CallContext, Reply, Segment, TakenTurn } from '../core/context.ts';
import type { Step } from '../core/step.ts';
import { answersAfterwards } from '../interruption/interruption.ts';
import { splitSentences } from '../languages/sentence-splitter.ts';
import { isSpeakable } from '../languages/words.ts';
import { count } from '../metrics/call-metrics.ts';
import type { EndReason } from '../ports/end-reason.ts';
import { addAgentItem, agentItem, changeAgentItem, joinSpoken } from '../transcript/history.ts';
import { writeCallerLine } from '../transcript/transcript.ts';
import { lastSpoken } from '../turn-detection/echo.ts';
import { forgetTurn, takeTurn } from '../turn-detection/user-turn.ts';
import { filledForSpeech } from '../variables/variables.ts';
import { stopWatching, watchVoice } from './playout-watchdogs.ts';

export const LISTEN: AfterReply = { type: 'listen' };

export function startReply(step: Step, turn: TakenTurn | null, interruptible = true): void {
  const reply: Reply = {
    utterance: step.next('utterance'),
    turn,
    interruptible,
    steps: 0,
    asking: false,
    mistakes: 0,
    generation: null,
    segments: [],
    after: LISTEN,
    modelTimes: null,
    measured: false,
    oneMoment: null,
  };
  step.change({ reply, interruption: null });
}

export function changeReply(step: Step, changed: Partial<Reply>): void {
  const { reply } = step.context;
  if (reply !== null) step.change({ reply: { ...reply, ...changed } });
}

/** The reply's next model request: made by `ask` once the machine has moved and every tool has answered. */
export function askNext(step: Step): void {
  changeReply(step, { asking: true });
  step.raise({ type: 'engine.ask' });
}

/** What is done once the reply was heard. The first order stands. */
export function afterwards(step: Step, after: AfterReply): void {
  if (step.context.reply?.after.type === 'listen') changeReply(step, { after, asking: false });
}

/** Speaks a text of the agent's own, with its variables filled in, as part of the reply. */
export function say(step: Step, template: string | undefined, itemId?: number): void {
  const text = template === undefined ? '' : filledForSpeech(step, template);
  if (text === '' || step.context.reply === null) return;
  const item = itemId ?? addAgentItem(step);
  for (const sentence of splitSentences(text, step.context.agent.language)) speak(step, item, sentence);
}

/**
 * Gives one segment to the voice and to the history; what has no sound goes to neither. `again`: the history has its text
 * already.
 */
export function speak(step: Step, itemId: number, text: string, again = false): void {
  const { reply } = step.context;
  if (reply === null || !isSpeakable(text)) return;
  const number = step.next('segment');
  const segment: Segment = {
    number,
    item: itemId,
    text,
    orderedUs: step.nowUs,
    voiceStartedUs: null,
    durationMs: null,
    words: [],
    wire: null,
    ended: false,
  };
  changeReply(step, { segments: [...reply.segments, segment] });
  const item = agentItem(step.context, itemId);
  if (item !== undefined && !again) changeAgentItem(step, itemId, { text: joinSpoken(item.text, text) });
  count(step, 'voiceCharacters', text.length);
  step.order({ type: 'voice.speak', utterance: reply.utterance, segment: number, text });
  watchVoice(step);
}

/** The model is not asked for more, and all that was said and pressed was heard. A function may still run. */
function isHeardOut({ keys, reply }: CallContext): boolean {
  if (reply === null) return true;
  return keys.length === 0 && reply.generation === null && !reply.asking && reply.segments.every((one) => one.ended);
}

/** Nothing more is to come of the reply, and all of it was heard. */
export function isReplyOver(context: CallContext): boolean {
  return isHeardOut(context) && context.tools.length === 0;
}

/**
 * Why the call ends once the reply was heard. What the call itself decided comes before what the model asked for, and
 * the attempt to hand the caller over before both.
 */
export function orderedEnd({ ending, reply }: CallContext): EndReason | null {
  if (reply?.after.type === 'rescue' || reply?.after.type === 'transfer') return null;
  return ending ?? (reply?.after.type === 'end' ? reply.after.reason : null);
}

/** Nobody is left to hear what a function that still runs will answer: the end does not wait for it. */
export function replyEndsCall(context: CallContext): boolean {
  return isHeardOut(context) && orderedEnd(context) !== null;
}

/** Nor does a transfer, which may bring the caller back to it. */
export function replyTransfers(context: CallContext): boolean {
  const after = context.reply?.after.type;
  return isHeardOut(context) && (after === 'transfer' || after === 'rescue');
}

export function isAudible({ reply }: CallContext): boolean {
  return reply?.segments.some((segment) => segment.wire !== null && !segment.ended) === true;
}

/** The reply was heard to its end. What the caller said meanwhile is answered, or it was only said to show attention. */
export function finishReply(step: Step): void {
  const answers = answersAfterwards(step.context, step.nowUs);
  const reason = orderedEnd(step.context);
  stopWatching(step);
  rememberSaid(step);
  step.change({ reply: null, interruption: null, lastCut: null });
  if (!answers) {
    writeCallerLine(step);
    if (step.context.caller.line !== null) takeTurn(step);
    else forgetTurn(step);
  }
  if (reason !== null) step.raise({ type: 'engine.end', reason });
}

/** Its echo may still be told. */
export function rememberSaid(step: Step): void {
  const { reply } = step.context;
  const spoken = lastSpoken(reply?.segments ?? []);
  if (spoken.length > 0) step.change({ lastSaid: spoken });
}
