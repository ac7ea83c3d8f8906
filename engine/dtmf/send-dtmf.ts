import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import { addToolResult } from '../transcript/history.ts';
import { writeToolResult } from '../transcript/transcript.ts';

/** Digits and pauses of one `send_dtmf` call; more than any card number needs. */
const DIGITS_MAX = 32;
/** The characters that `Media.sendDtmf` accepts. */
const DIGITS = /^[0-9A-D*#w,]+$/;
/** Time on the wire of one digit, of the pause `w`, and of the pause `,`. */
const DIGIT_MS = 200;
const SHORT_PAUSE_MS = 500;
const LONG_PAUSE_MS = 2_000;
/** Each `send_dtmf` call has one timer; it ends with the last digit of that call. */
const TIMER_PREFIX = 'send_dtmf.';

/**
 * Queues the digits of a `send_dtmf` call, which is a running tool until they have been played.
 *
 * @returns why the digits are invalid, as text for the model; null if they are valid
 */
export function queueDtmf(
  step: RuleStep,
  item: number,
  call: { readonly id: string; readonly name: string },
  requested: string,
): string | null {
  const digits = requested.replace(/[\s-]/g, '').toUpperCase().replaceAll('W', 'w');
  if (!DIGITS.test(digits)) return '«digits» must hold 0-9, *, #, w or a comma, and nothing else.';
  if (digits.length > DIGITS_MAX) return `«digits» may hold ${DIGITS_MAX} keys at most.`;
  const { id: toolCallId, name } = call;
  const { runningTools, outgoingDtmf, reply } = step.context;
  step.change({
    runningTools: [...runningTools, { toolCallId, name, startedUs: step.nowUs, reply: reply?.number ?? 0, item }],
    outgoingDtmf: [...outgoingDtmf, { toolCallId, name, digits, sent: false }],
  });
  return null;
}

/**
 * Digits wait until the speech before them has been played, and until audio reaches the peer (no hold, media not
 * suspended).
 */
export function canSendDtmf({ haltedSinceUs, outgoingDtmf, reply }: CallContext): boolean {
  const isWaiting = outgoingDtmf.some(({ sent }) => !sent) && haltedSinceUs === null;
  return isWaiting && reply !== null && reply.generation === null && reply.segments.every((segment) => segment.ended);
}

/** The playout sends the digits of all calls in order. A call gets its result once its own digits have been played. */
export function sendDtmf(step: RuleStep): void {
  let untilMs = 0;
  for (const { toolCallId, digits, sent } of step.context.outgoingDtmf) {
    if (sent) continue;
    step.command({ type: 'playout.dtmf', digits });
    for (const digit of digits) untilMs += digit === 'w' ? SHORT_PAUSE_MS : digit === ',' ? LONG_PAUSE_MS : DIGIT_MS;
    step.startTimer(`${TIMER_PREFIX}${toolCallId}`, untilMs);
  }
  step.change({ outgoingDtmf: step.context.outgoingDtmf.map((call) => ({ ...call, sent: true })) });
}

/** The `send_dtmf` call whose digits have now been played, or null. */
export function sentDtmfCallId(event: RuleStep['event']): string | null {
  if (event.type !== 'timer' || !event.timer.startsWith(TIMER_PREFIX)) return null;
  return event.timer.slice(TIMER_PREFIX.length);
}

/** The reply was dropped: digits that the playout does not have yet are not sent. Sent digits are played to the end. */
export function dropUnsentDtmf(step: RuleStep, reason: string): void {
  const dropped = step.context.outgoingDtmf.filter(({ sent }) => !sent);
  for (const { toolCallId, name } of dropped) {
    const content = `Not done: ${reason} before the keys were pressed.`;
    step.change({ runningTools: step.context.runningTools.filter((tool) => tool.toolCallId !== toolCallId) });
    addToolResult(step, toolCallId, content);
    writeToolResult(step, { id: toolCallId, name }, { successful: false, content });
  }
  if (dropped.length > 0) step.change({ outgoingDtmf: step.context.outgoingDtmf.filter(({ sent }) => sent) });
}
