import type { CallContext } from '../core/context.ts';
import type { SpeechTimeline } from '../core/state/speech-timeline.ts';
import { type LanguagePack, languagePack } from '../languages/language-packs.ts';
import { wordsOf } from '../languages/words.ts';
import { userTurnLanguage } from '../transcript/user-turn-text.ts';
import { hasChangingWords } from '../user-speech/open-speech.ts';
import { type SpeechPart, speechParts } from '../user-speech/speech-parts.ts';
import { addsNothing } from './agent-question.ts';

/** The words of the open turn up to the last one that says something new. */
export interface NewWords {
  /** Its end, in ms of the user's audio; null without words. */
  readonly endMs: number | null;
  readonly count: number;
  /** Only repetitions and attention calls follow it: the user waits for an answer. */
  readonly isAskedAgain: boolean;
}

/** By timeline: the rules of one event read the same one, and each revision makes another. */
const NEW_WORDS = new WeakMap<SpeechTimeline, NewWords>();

/** «When do you open? … When do you open? … Are you there?»: the turn has new words up to the first question mark. */
export function newWords(context: CallContext): NewWords {
  const { speech } = context.userTurn;
  const known = NEW_WORDS.get(speech);
  if (known !== undefined) return known;
  const found = findNewWords(context, languagePack(userTurnLanguage(context)));
  NEW_WORDS.set(speech, found);
  return found;
}

function findNewWords(context: CallContext, language: LanguagePack): NewWords {
  const { speech } = context.userTurn;
  const sentences = speechParts(speech, null).flatMap(sentencesOf);
  const said: string[] = [];
  let found: NewWords = { endMs: null, count: 0, isAskedAgain: false };
  let count = 0;
  for (const [at, { endMs, text }] of sentences.entries()) {
    const words = wordsOf(text);
    count += words.length;
    const isIncomplete = at === sentences.length - 1 && hasChangingWords(speech);
    const isRepeated = at > 0 && (addsNothing(context, words) || isRepetition(said, words, isIncomplete, language));
    found = isRepeated ? { ...found, isAskedAgain: true } : { endMs, count, isAskedAgain: false };
    said.push(words.join(' '));
  }
  return found;
}

/** Digits and letters that are said again are dictated. */
function isRepetition(
  said: readonly string[],
  words: readonly string[],
  isIncomplete: boolean,
  { dictation }: LanguagePack,
): boolean {
  const isDictated = words.some((word) => /\d/.test(word) || dictation.digits.has(word) || dictation.numbers.has(word));
  if (isDictated || words.every((word) => word.length === 1)) return false;
  const text = words.join(' ');
  return said.some((earlier) => earlier === text || (isIncomplete && earlier.startsWith(text)));
}

/** The end of a sentence within a part is estimated by its place in the text. */
function sentencesOf({ startMs, endMs, text }: SpeechPart): readonly Omit<SpeechPart, 'startMs'>[] {
  let end = 0;
  return text.split(/(?<=[.!?…。！？])\s+/).map((sentence) => {
    end = text.indexOf(sentence, end) + sentence.length;
    return { endMs: startMs + ((endMs - startMs) * end) / text.length, text: sentence };
  });
}
