import type { AfterReply, CallContext, Reply, Segment, TakenTurn } from '../call/call-context.ts';
import type { EndReason } from '../call/end-reason.ts';
import type { Step } from '../call/step.ts';
import { forgetTurn, takeTurn } from './caller-turn.ts';
import { addAgentItem, addResult, agentItem, amendResult, changeAgentItem, joinSpoken } from './history.ts';
import { answersAfterwards } from './interruption.ts';
import { count } from './metrics.ts';
import { splitSentences } from './sentences.ts';
import { spokenLanguage } from './spoken-language.ts';
import { cutToHeard, writeCallerLine, writeToolResult } from './transcript.ts';
import { filled } from './variables.ts';
import { stopWatching, watchVoice } from './watchdogs.ts';

/** Texts of the API that wait for the floor; the oldest is dropped. */
const SAYINGS_MAX = 10;

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
    after: { type: 'listen' },
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
  const text = template === undefined ? '' : filled(step, template);
  if (text === '' || step.context.reply === null) return;
  const item = itemId ?? addAgentItem(step);
  for (const sentence of splitSentences(text, step.context.agent.language)) speak(step, item, sentence);
}

/** Gives one segment to the voice and to the history. */
export function speak(step: Step, itemId: number, text: string, retry = false): void {
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
    retry,
  };
  changeReply(step, { segments: [...reply.segments, segment] });
  const item = agentItem(step.context, itemId);
  if (item !== undefined && !retry) changeAgentItem(step, itemId, { text: joinSpoken(item.text, text) });
  count(step, 'voiceCharacters', text.length);
  step.order({ type: 'voice.speak', utterance: reply.utterance, segment: number, text });
  watchVoice(step);
}

/** Nothing more is to come of the reply, and all of it was heard. */
export function isReplyOver({ reply, tools }: CallContext): boolean {
  if (reply === null) return true;
  return reply.generation === null && !reply.asking && tools.length === 0 && reply.segments.every((one) => one.ended);
}

export function isAudible({ reply }: CallContext): boolean {
  return reply?.segments.some((segment) => segment.wire !== null && !segment.ended) === true;
}

/** The reply was heard to its end. What the caller said meanwhile is answered, or it was only said to show attention. */
export function finishReply(step: Step): void {
  const answers = answersAfterwards(step.context, step.nowUs);
  const { after } = step.context.reply ?? { after: { type: 'listen' } };
  stopWatching(step);
  step.change({ reply: null, interruption: null, lastCut: null });
  if (!answers) {
    writeCallerLine(step);
    if (step.context.caller.endedUs !== null && step.context.caller.line !== null) takeTurn(step);
    else forgetTurn(step);
  }
  if (after.type === 'end') step.raise({ type: 'engine.end', reason: after.reason });
}

/** The caller takes the floor, or an order of the API does: what was not heard yet is never said. */
export function dropReply(step: Step): void {
  const { reply, interruption } = step.context;
  if (reply === null) return;
  const playedMs = playedOf(step.context, step.nowUs);
  if (reply.generation !== null) step.order({ type: 'model.cancel', generation: reply.generation.number });
  if (reply.segments.some((segment) => !segment.ended)) {
    step.order({ type: 'voice.cancel' });
    step.order({ type: 'playout.clear', utterance: reply.utterance });
  }
  if (isHeld(interruption)) step.order({ type: 'playout.resume' });
  stopWatching(step);
  cutToHeard(step, reply, playedMs, true);
  takeBack(step, reply.after);
  step.change({ reply: null, interruption: null, lastCut: reply, owed: true });
}

/** What was to be done after the reply is not done: the call that asked for it is told so. */
function takeBack(step: Step, after: AfterReply): void {
  if (after.type === 'end' && after.toolCallId !== undefined) {
    amendResult(step, after.toolCallId, 'The caller spoke before the goodbye was over: the call goes on.');
  }
  if (after.type === 'transfer') {
    const content = 'Not done: the caller spoke before it began.';
    addResult(step, after.toolCallId, content);
    writeToolResult(step, { id: after.toolCallId, name: after.name }, { successful: false, content });
  }
}

function isHeld(interruption: CallContext['interruption']): boolean {
  return interruption !== null && interruption.verdict !== 'undone';
}

export function interruptReply(step: Step): void {
  count(step, 'interruptions');
  dropReply(step);
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
export function playedOf({ reply, interruption }: CallContext, nowUs: number): number {
  if (isHeld(interruption) && interruption?.playedMs != null) return interruption.playedMs;
  const segment = reply?.segments.findLast((one) => one.wire !== null);
  if (segment?.wire == null) return 0;
  const { startedUs, playedMs } = segment.wire;
  const elapsedMs = (nowUs - startedUs) / 1000;
  return playedMs + (segment.durationMs === null ? elapsedMs : Math.min(elapsedMs, segment.durationMs));
}

/** Says that the call cannot go on, once what is queued was heard, and ends it. */
export function giveUp(step: Step, reason: EndReason): void {
  if (step.context.reply === null) {
    startReply(step, null, false);
    step.raise({ type: 'engine.reply' });
  }
  const { generation } = step.context.reply ?? { generation: null };
  if (generation !== null) step.order({ type: 'model.cancel', generation: generation.number });
  step.stopTimer('model');
  changeReply(step, { generation: null, asking: false, interruptible: false, after: { type: 'end', reason } });
  const { agent, interruption } = step.context;
  // Nobody can take the floor any more: a playout that is held goes on.
  if (interruption?.verdict === 'open') step.change({ interruption: { ...interruption, verdict: 'undone' } });
  say(step, agent.on_provider_failure?.message ?? spokenLanguage(agent.language).apology);
}

/** An order of the API takes the floor: the model is not asked to say again what it was saying. */
export function makeWay(step: Step): void {
  dropReply(step);
  step.change({ owed: false });
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
