import type { LanguagePack } from './language-pack.ts';
import { consistsOfPhrases } from './phrase-matching.ts';

/** The user asks whether the agent is still there. In its silence this adds nothing to what they said before. */
export function callsAgent(words: readonly string[], { attentionCalls, backchannels }: LanguagePack): boolean {
  return words.length > 0 && consistsOfPhrases(words, attentionCalls, backchannels);
}
