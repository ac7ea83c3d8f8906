import type { Reply } from '../core/context.ts';
import type { Step } from '../core/step.ts';
import { splitSentences } from '../languages/sentence-splitter.ts';
import { addAgentItem } from '../transcript/history.ts';
import { dropReply } from './drop-reply.ts';
import { speak, startReply } from './reply.ts';

/** Texts of the API that wait for the floor; the oldest is dropped. */
const SAYINGS_MAX = 10;

/** An order of the API takes the floor: the model is not asked to say again what it was saying, but what it was to say is owed. */
export function makeWay(step: Step): void {
  const { reply } = step.context;
  const owed = reply !== null && owesAnswer(reply);
  dropReply(step, 'saying');
  step.change({ owed });
}

/** The model was asked, and nothing of its latest words has left on the wire; or it is to learn what is not done now. */
function owesAnswer({ asking, steps, generation, segments, after }: Reply): boolean {
  if (after.type !== 'listen') return true;
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
