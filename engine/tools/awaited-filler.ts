import type { CallContext } from '../core/context.ts';
import type { RuleStep } from '../core/rule-step.ts';
import { type Announcement, announce } from '../playout/reply.ts';
import { namesWithoutValue } from '../tool-definitions/variable-parameters.ts';

/** How long a filler or the next state's prompt waits for the values of a running extraction, in ms. */
const EXTRACTION_WAIT_MS = 600;

/**
 * Says a filler, at once or with the values of the running extraction.
 *
 * @param prompt the prompt of the next state: its request waits too
 */
export function sayOnceKnown(step: RuleStep, announcement: Announcement, item: number, prompt = ''): void {
  const { filler_sentence = '', interruptible = true } = announcement;
  const { awaitedFillers, reply } = step.context;
  if (reply === null || !isExtracted(step.context, `${filler_sentence}\n${prompt}`)) {
    announce(step, announcement, item);
    return;
  }
  const before = awaitedFillers?.reply === reply.number ? awaitedFillers.fillers : [];
  const fillers = [...before, { text: filler_sentence, interruptible, prompt, item }];
  step.change({ awaitedFillers: { reply: reply.number, fillers } });
  step.startTimer('awaited_variables', EXTRACTION_WAIT_MS);
}

/** The reply waits for values: its next generation does not start. */
export function waitsForVariables({ awaitedFillers, reply }: CallContext): boolean {
  return reply !== null && awaitedFillers?.reply === reply.number;
}

/** The extraction has ended, or the wait is over: sentences that still lack a value are left out. */
export function sayAwaitedFillers(step: RuleStep): void {
  const { awaitedFillers, reply } = step.context;
  if (awaitedFillers === null) return;
  const isOver = step.event.type === 'timer';
  const texts = awaitedFillers.fillers.map(({ text, prompt }) => `${text}\n${prompt}`);
  // Another extraction covers what the user has said since.
  if (!isOver && isExtracted(step.context, texts.join('\n'))) return;
  step.change({ awaitedFillers: null });
  step.stopTimer('awaited_variables');
  if (reply?.number !== awaitedFillers.reply) return;
  for (const { text, interruptible, item } of awaitedFillers.fillers)
    announce(step, { filler_sentence: text, interruptible }, item);
  if (reply.requestPending) step.raise({ type: 'engine.generate' });
}

/** The running extraction may find a value that this text lacks. */
function isExtracted(context: CallContext, text: string): boolean {
  const { running, requestedVariables } = context.extraction;
  if (running === null) return false;
  const missing = new Set(namesWithoutValue(context, text));
  return requestedVariables.some(({ name }) => missing.has(name));
}
