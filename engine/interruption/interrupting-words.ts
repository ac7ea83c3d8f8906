import type { CallContext } from '../core/context.ts';
import { isReplyAudible } from '../core/reply-progress.ts';
import type { RuleStep } from '../core/rule-step.ts';
import { repeatsCurrentSpeech } from '../echo/current-speech.ts';
import { callsAgent } from '../languages/attention-call.ts';
import { isBackchannel } from '../languages/backchannel.ts';
import type { LanguagePack } from '../languages/language-packs.ts';
import { beginsPhrase, consistsOfPhrases, containsPhrase } from '../languages/phrase-matching.ts';
import { userTurnWords } from '../transcript/user-turn-text.ts';
import { isAnswerOverdue } from '../turn-detection/words-after-request.ts';
import { hasChangingWords } from '../user-speech/open-speech.ts';
import { SENSITIVITY } from './sensitivity.ts';

/** The interruption is tentative or confirmed, and at least one word of it has arrived. */
export function hasInterruptingWords(context: CallContext): boolean {
  const status = context.interruption?.status;
  return (status === 'tentative' || status === 'confirmed') && interruptingWords(context).length > 0;
}

/** The words of the user since the interruption began. */
export function interruptingWords(context: CallContext): readonly string[] {
  return userTurnWords(context.userTurn).slice(context.interruption?.wordsBefore ?? 0);
}

/** From the first to the last new word of a transcriber's event; 0 without their times. */
export function interruptingWordsMs({ context, event }: RuleStep): number {
  if (event.type !== 'transcriber.interim' && event.type !== 'transcriber.final' && event.type !== 'transcriber.turn')
    return 0;
  const count = interruptingWords(context).length;
  const words = count === 0 ? [] : (event.words ?? []).slice(-count);
  const [first] = words;
  const last = words.at(-1);
  return first === undefined || last === undefined ? 0 : last.endMs - first.startMs;
}

/** A stop word interrupts at once, even in short speech. */
export function isStopWord(step: RuleStep, words: readonly string[], language: LanguagePack): boolean {
  const isStop = containsPhrase(words, language.stopPhrases) && !isBackchannel(words, language);
  return isStop && !isFarewellToGoodbye(step.context, words, language) && !repeatsCurrentSpeech(step, words.length);
}

export function isInterruption(step: RuleStep, words: readonly string[], language: LanguagePack): boolean {
  const { context } = step;
  if (repeatsCurrentSpeech(step, words.length)) return false;
  const sensitivity = SENSITIVITY[context.agent.interruptions_sensitivity];
  if (isFarewellToGoodbye(context, words, language)) return false;
  if (!isReplyAudible(context) && (callsAgent(words, language) || isAnswerOverdue(context))) return false;
  if (!sensitivity.backchannels && isBackchannel(words, language)) return false;
  return words.length >= sensitivity.words;
}

/**
 * Whether words that may still change begin a phrase that does not interrupt: «No» becomes «No problem», or «No thanks»
 * over a goodbye. Other words than stop phrases need more speech, or a goodbye, to matter.
 */
export function mayBecomeCourtesy(
  context: CallContext,
  words: readonly string[],
  { backchannels, farewells, stopPhrases }: LanguagePack,
): boolean {
  if (words.length === 0 || !hasChangingWords(context.userTurn.speech)) return false;
  if (isGoodbye(context)) return beginsPhrase(words, farewells, backchannels);
  if (SENSITIVITY[context.agent.interruptions_sensitivity].backchannels) return false;
  return containsPhrase(words, stopPhrases) && beginsPhrase(words, backchannels);
}

/** The user answers the agent's goodbye with farewells and backchannels alone. */
function isFarewellToGoodbye(context: CallContext, words: readonly string[], language: LanguagePack): boolean {
  return isGoodbye(context) && consistsOfPhrases(words, language.farewells, language.backchannels);
}

function isGoodbye({ reply }: CallContext): boolean {
  return reply?.followUp.type === 'end';
}
