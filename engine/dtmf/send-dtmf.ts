import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import { addResult } from '../transcript/history.ts';
import { writeToolResult } from '../transcript/transcript.ts';

/** Of one call of `send_dtmf`: longer than any card number with its pauses. */
const DIGITS_MAX = 32;
/** What the media plane sends, see `Media.sendDtmf`. */
const DIGITS = /^[0-9A-D*#w,]+$/;
/** How long each takes on the wire. */
const DIGIT_MS = 200;
const SHORT_PAUSE_MS = 500;
const LONG_PAUSE_MS = 2_000;
/** Each call of `send_dtmf` has a timer of its own, until which its keys sound. */
const TIMER_PREFIX = 'send_dtmf.';

/**
 * Takes a call of `send_dtmf`: it is a running tool until its keys have sounded. What is wrong with the digits is told in
 * words for the model.
 */
export function queueDtmf(
  step: RuleStep,
  item: number,
  call: { readonly id: string; readonly name: string },
  given: string,
): string | null {
  const digits = given.replace(/[\s-]/g, '').toUpperCase().replaceAll('W', 'w');
  if (!DIGITS.test(digits)) return '«digits» must hold 0-9, *, #, w or a comma, and nothing else.';
  if (digits.length > DIGITS_MAX) return `«digits» may hold ${DIGITS_MAX} keys at most.`;
  const { id: toolCallId, name } = call;
  const { runningTools, outgoingDtmf, reply } = step.context;
  step.change({
    runningTools: [
      ...runningTools,
      { toolCallId, name, startedUs: step.nowUs, utterance: reply?.utterance ?? 0, item },
    ],
    outgoingDtmf: [...outgoingDtmf, { toolCallId, name, digits, sent: false }],
  });
  return null;
}

/** All that was said before them was heard, and what is sent now reaches the other side. */
export function canSendDtmf({ haltedSinceUs, outgoingDtmf, reply }: CallContext): boolean {
  const areWaiting = outgoingDtmf.some(({ sent }) => !sent) && haltedSinceUs === null;
  return areWaiting && reply !== null && reply.generation === null && reply.segments.every((one) => one.ended);
}

/** The playout takes them behind one another; the result of each call comes once its own have sounded. */
export function sendDtmf(step: RuleStep): void {
  let untilMs = 0;
  for (const { toolCallId, digits, sent } of step.context.outgoingDtmf) {
    if (sent) continue;
    step.command({ type: 'playout.dtmf', digits });
    for (const digit of digits) untilMs += digit === 'w' ? SHORT_PAUSE_MS : digit === ',' ? LONG_PAUSE_MS : DIGIT_MS;
    step.startTimer(`${TIMER_PREFIX}${toolCallId}`, untilMs);
  }
  step.change({ outgoingDtmf: step.context.outgoingDtmf.map((one) => ({ ...one, sent: true })) });
}

/** The call of `send_dtmf` whose keys have sounded now, or null. */
export function sentDtmfCallId(event: RuleStep['event']): string | null {
  if (event.type !== 'timer' || !event.timer.startsWith(TIMER_PREFIX)) return null;
  return event.timer.slice(TIMER_PREFIX.length);
}

/** The reply was dropped before they could be pressed. Those that were pressed sound on. */
export function dropUnsentDtmf(step: RuleStep, why: string): void {
  const dropped = step.context.outgoingDtmf.filter(({ sent }) => !sent);
  for (const { toolCallId, name } of dropped) {
    const content = `Not done: ${why} before the keys were pressed.`;
    step.change({ runningTools: step.context.runningTools.filter((tool) => tool.toolCallId !== toolCallId) });
    addResult(step, toolCallId, content);
    writeToolResult(step, { id: toolCallId, name }, { successful: false, content });
  }
  if (dropped.length > 0) step.change({ outgoingDtmf: step.context.outgoingDtmf.filter(({ sent }) => sent) });
}
