import type { RuleStep } from '../core/rule-step.ts';
import type { QueuedText, Reply } from '../core/state/playout-slice.ts';
import { agentItem } from '../transcript/history.ts';
import { playedTextOf } from '../transcript/played-text.ts';

/** Say requests that wait; beyond this the oldest is dropped. */
const QUEUED_TEXTS_MAX = 10;

export function queueTexts(step: RuleStep, texts: readonly QueuedText[]): void {
  step.change({ queuedSpeech: texts.slice(-QUEUED_TEXTS_MAX) });
}

/**
 * A reply is dropped. Its say requests and the initial message are said afterwards if no word of them was heard. True if
 * nothing else was to be said: no response is pending.
 *
 * @param playedMs playback position in the reply
 */
export function keepUnheardSpeech(step: RuleStep, reply: Reply, playedMs: number): boolean {
  const { modelRequests, keptTexts, requestPending, segments } = reply;
  const unheard = keptTexts.filter(
    ({ item }) =>
      agentItem(step.context, item)?.entry == null &&
      segments.every((segment) => segment.item !== item || playedTextOf(segment, playedMs) === ''),
  );
  // `cancelFollowUp` keeps an announcement, with its transfer.
  const texts = unheard.flatMap(({ text }) => (typeof text === 'string' ? [] : [text]));
  if (texts.length > 0) queueTexts(step, [...texts, ...step.context.queuedSpeech]);
  if (unheard.some(({ text }) => text === 'initial_message')) step.change({ initialMessage: 'pending' });
  return unheard.length > 0 && unheard.length === keptTexts.length && modelRequests === 0 && !requestPending;
}
