import type { CallContext } from '../core/context.ts';
import type { AgentItem } from '../core/state/transcript-slice.ts';
import { callsAgent } from '../languages/attention-call.ts';
import { decisiveWords } from '../languages/decisive-words.ts';
import { languagePack } from '../languages/language-packs.ts';
import { beginsPhrase, consistsOfPhrases } from '../languages/phrase-matching.ts';
import { endsWithQuestion } from '../languages/question-mark.ts';
import { userTurnLanguage } from '../transcript/user-turn-text.ts';
import { hasChangingWords } from '../user-speech/open-speech.ts';

const NONE: ReadonlySet<string> = new Set();

/** The agent's last turn before the user's, as far as it was played. An answer that is not heard yet does not count. */
export function lastAgentText({ history, reply }: CallContext): string {
  const turnItem = reply?.pending?.item ?? Number.POSITIVE_INFINITY;
  const item = history.findLast((item): item is AgentItem => item.type === 'agent' && item.id < turnItem);
  return item === undefined ? '' : (item.playedText ?? item.text);
}

/** The agent's last turn ends in a question: «yes» and «sure» answer it. */
export function hasAskedQuestion(context: CallContext): boolean {
  return endsWithQuestion(lastAgentText(context));
}

/**
 * Words that add nothing to what the user has said before: calls for attention and backchannels. After a question of the
 * agent backchannels are answers, except hesitations and thanks.
 */
export function addsNothing(context: CallContext, words: readonly string[]): boolean {
  const tag = userTurnLanguage(context);
  const language = languagePack(tag);
  if (!hasAskedQuestion(context)) return callsAgent(words, language);
  return words.length > 0 && consistsOfPhrases(words, language.attentionCalls, decisiveWords(tag).courtesies);
}

/** Words that may still change begin such a call: «are you» becomes «are you there». */
export function mayAddNothing(context: CallContext, words: readonly string[]): boolean {
  if (!hasChangingWords(context.userTurn.speech)) return false;
  const { attentionCalls, backchannels } = languagePack(userTurnLanguage(context));
  return words.length > 0 && beginsPhrase(words, attentionCalls, hasAskedQuestion(context) ? NONE : backchannels);
}
