import type { CallContext } from '../core/context.ts';
import { answeringMachinePhrases, languagePack } from '../languages/language-packs.ts';
import { matchesAnyPhrase } from '../languages/phrase-pattern.ts';
import { endsWithQuestion } from '../languages/question-mark.ts';
import { wordsOf } from '../languages/words.ts';
import { userTurnText } from '../transcript/user-turn-text.ts';

/** Pauses between the sentences of a recorded greeting rarely last longer, in ms; a person who says hello waits less. */
const INTRODUCTION_PAUSE_MS = 1_300;
/** A greeting of this many words introduces its speaker, unless it asks a question. */
const INTRODUCTION_WORDS_MIN = 4;

/**
 * The silence after the first words of an outbound call that introduce who has answered: «You've reached Bob.» may go on
 * with «Leave a message», and the agent must not answer it. 0 after any other words.
 */
export function introductionPauseMs(context: CallContext): number {
  const { agent, answeringMachine, history, parameters, userTurn } = context;
  const isKnown = answeringMachine.type !== null && answeringMachine.type !== 'unknown';
  if (parameters.direction !== 'outbound' || isKnown) return 0;
  const isFirst = history.every((item) => item.type === 'agent' && item.entry === null);
  return isFirst && introduces(userTurnText(userTurn), agent.language) ? INTRODUCTION_PAUSE_MS : 0;
}

function introduces(text: string, language: string): boolean {
  if (endsWithQuestion(text)) return false;
  const words = wordsOf(text);
  if (answeringMachinePhrases(language).some(({ introduction }) => matchesAnyPhrase(words, introduction))) return true;
  const { questionWords } = languagePack(language).clauses;
  return words.length >= INTRODUCTION_WORDS_MIN && !words.some((word) => questionWords.has(word));
}
