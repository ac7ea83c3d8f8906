import type { AfterReply, CallContext, Reply } from '../core/context.ts';
import type { Step } from '../core/step.ts';
import { dropKeys } from '../dtmf/send-dtmf.ts';
import { count } from '../metrics/call-metrics.ts';
import { addResult, amendResult } from '../transcript/history.ts';
import { cutToHeard, writeResultLine, writeToolResult, writeTransfer } from '../transcript/transcript.ts';
import { stopWatching } from './playout-watchdogs.ts';
import { changeReply, rememberSaid } from './reply.ts';

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
  silence(step, reply);
  if (isHeld(interruption)) step.order({ type: 'playout.resume' });
  stopWatching(step);
  cutToHeard(step, reply, playedMs);
  takeBack(step, reply.after, cut);
  rememberSaid(step);
  dropKeys(step, CUTS[cut]);
  step.change({ reply: null, interruption: null, lastCut: reply, owed: true });
}

/** The same where nothing but the rest of its words is given up: what is to be done after the reply is still done. */
export function dropWords(step: Step): void {
  const { reply } = step.context;
  if (reply === null) return;
  const playedMs = playedOf(step.context, step.nowUs);
  silence(step, reply);
  stopWatching(step);
  cutToHeard(step, reply, playedMs);
  changeReply(step, { segments: [] });
  step.change({ lastCut: reply });
}

function silence(step: Step, { segments, utterance }: Reply): void {
  const [first] = segments;
  if (first === undefined || segments.every((segment) => segment.ended)) return;
  step.order({ type: 'voice.cancel', from: first.number });
  step.order({ type: 'playout.clear', utterance });
}

/** What was to be done after the reply is not done: the call that asked for it is told so. */
export function takeBack(step: Step, after: AfterReply, cut: Cut): void {
  if (after.type === 'end' && cut !== 'end') {
    const content = `Not done: ${CUTS[cut]} before the goodbye was over: the call goes on.`;
    amendResult(step, after.result.call.id, content);
    writeResultLine(step, after.result, { successful: false, content });
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
  cutToHeard(step, lastCut, event.playedMs);
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
