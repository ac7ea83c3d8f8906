import type { AfterReply, CallContext, Reply, Segment, TakenTurn } from '../call/call-context.ts';
import type { EndReason } from '../call/end-reason.ts';
import type { Step } from '../call/step.ts';
import { forgetTurn, takeTurn } from './caller-turn.ts';
import { lastSpoken } from './echo.ts';
import { addAgentItem, addResult, agentItem, amendResult, changeAgentItem, joinSpoken } from './history.ts';
import { answersAfterwards } from './interruption.ts';
import { dropKeys } from './keys.ts';
import { count } from './metrics.ts';
import { splitSentences } from './sentences.ts';
import { cutToHeard, writeCallerLine, writeToolResult, writeTransfer } from './transcript.ts';
import { filledForSpeech } from './variables.ts';
import { stopWatching, watchVoice } from './watchdogs.ts';

/** Texts of the API that wait for the floor; the oldest is dropped. */
const SAYINGS_MAX = 10;
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

/** Gives one segment to the voice and to the history. `again`: the history has its text already. */
export function speak(step: Step, itemId: number, text: string, again = false): void {
  const { reply } = step.context;
  if (reply === null) return;
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

/** The model is not asked for more, and all that was said was heard. A function may still run. */
function isHeardOut({ reply }: CallContext): boolean {
  if (reply === null) return true;
  return reply.generation === null && !reply.asking && reply.segments.every((one) => one.ended);
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
  if (reply?.after.type === 'rescue') return null;
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
    if (step.context.caller.endedUs !== null && step.context.caller.line !== null) takeTurn(step);
    else forgetTurn(step);
  }
  if (reason !== null) step.raise({ type: 'engine.end', reason });
}

function rememberSaid(step: Step): void {
  const { reply } = step.context;
  const spoken = lastSpoken(reply?.segments ?? []);
  if (spoken.length > 0) step.change({ lastSaid: spoken });
}

/** What cut a reply, in words for the model. */
export const CUTS = {
  caller: 'the caller spoke',
  keys: 'the caller pressed keys',
  machine: 'a machine answered',
  saying: 'another message was to be said at once',
  playout: 'the audio did not reach the caller',
  failure: 'something failed',
  end: 'the call ended',
} as const;
type Cut = keyof typeof CUTS;

/** What was not heard yet is never said. A reply after which the call itself ends is dropped by that end alone. */
export function dropReply(step: Step, cut: Cut): void {
  const { reply, interruption } = step.context;
  if (reply === null) return;
  const playedMs = playedOf(step.context, step.nowUs);
  if (reply.generation !== null) step.order({ type: 'model.cancel', generation: reply.generation.number });
  const [first] = reply.segments;
  if (first !== undefined && reply.segments.some((segment) => !segment.ended)) {
    step.order({ type: 'voice.cancel', from: first.number });
    step.order({ type: 'playout.clear', utterance: reply.utterance });
  }
  if (isHeld(interruption)) step.order({ type: 'playout.resume' });
  stopWatching(step);
  cutToHeard(step, reply, playedMs, true);
  takeBack(step, reply.after, cut);
  rememberSaid(step);
  dropKeys(step, CUTS[cut]);
  step.change({ reply: null, interruption: null, lastCut: reply, owed: true });
}

/** What was to be done after the reply is not done: the call that asked for it is told so. */
export function takeBack(step: Step, after: AfterReply, cut: Cut): void {
  if (after.type === 'end' && cut !== 'end') {
    amendResult(step, after.toolCallId, `Not done: ${CUTS[cut]} before the goodbye was over: the call goes on.`);
  }
  if (after.type === 'transfer') {
    const content = `Not done: ${CUTS[cut]} before it was.`;
    if (after.begun === true) writeTransfer(step, after.order, 'failed', CUTS[cut]);
    addResult(step, after.toolCallId, content);
    writeToolResult(step, { id: after.toolCallId, name: after.name }, { successful: false, content });
  }
}

function isHeld(interruption: CallContext['interruption']): boolean {
  return interruption !== null && interruption.verdict !== 'over';
}

export function interruptReply(step: Step): void {
  count(step, 'interruptions');
  dropReply(step, 'caller');
}

/** Known to the sample now: what had left on the wire when the reply was cut. */
export function refineCut(step: Step): void {
  const { event } = step;
  const { lastCut } = step.context;
  if (event.type !== 'media.cleared' || lastCut?.utterance !== event.utterance) return;
  step.change({ lastCut: null });
  cutToHeard(step, lastCut, event.playedMs, true);
}

/** What of the reply has left on the wire by now, as far as marks and the time since tell. */
export function playedOf({ reply, interruption, heldUs }: CallContext, nowUs: number): number {
  if (isHeld(interruption) && interruption?.playedMs != null) return interruption.playedMs;
  const segment = reply?.segments.findLast((one) => one.wire !== null);
  if (segment?.wire == null) return 0;
  const { startedUs, playedMs } = segment.wire;
  const elapsedMs = Math.max(0, (heldUs ?? nowUs) - startedUs) / 1000;
  return playedMs + (segment.durationMs === null ? elapsedMs : Math.min(elapsedMs, segment.durationMs));
}

/** An order of the API takes the floor: the model is not asked to say again what it was saying, but what it was to say is owed. */
export function makeWay(step: Step): void {
  const { reply } = step.context;
  const owed = reply !== null && owesAnswer(reply);
  dropReply(step, 'saying');
  step.change({ owed });
}

/** The model was asked, and nothing of its latest words has left on the wire. */
function owesAnswer({ asking, steps, generation, segments, after }: Reply): boolean {
  if (after.type !== 'listen') return false;
  const item = generation?.item ?? segments.at(-1)?.item;
  return asking || (steps > 0 && !segments.some((segment) => segment.item === item && segment.wire !== null));
}

export function queueSaying(step: Step): void {
  if (step.event.type !== 'call.say') return;
  step.change({ sayings: [...step.context.sayings, step.event.text].slice(-SAYINGS_MAX) });
}

export function saySayings(step: Step): void {
  const { sayings } = step.context;
  startReply(step, null);
  step.change({ sayings: [] });
  const item = addAgentItem(step);
  for (const text of sayings) {
    for (const sentence of splitSentences(text, step.context.agent.language)) speak(step, item, sentence);
  }
}
