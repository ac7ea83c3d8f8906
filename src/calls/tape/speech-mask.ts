import { isNumberWord } from '../../../engine/completeness/dictation-detector.ts';
import { LANGUAGE_TAGS, languagePack } from '../../../engine/languages/language-packs.ts';

const WORD = /[\p{L}\p{M}'’-]+/gu;
/** A call may be in another language than its agent. */
const DICTATIONS = LANGUAGE_TAGS.map((tag) => languagePack(tag).dictation);

export type SpeechMask = (text: string) => string;

/**
 * Returns a mask that replaces every digit and every run of number words in a transcribed text. A pause may split a dictated number
 * into several texts, so even a single digit is hidden.
 *
 * @param digit replaces a digit
 * @param numberWord replaces a number word
 * @param runMin least number of consecutive number words to hide. 2 keeps a single one, which may be an article («ein»)
 */
export function speechMask(digit: string, numberWord: string, runMin: number): SpeechMask {
  return (text) => {
    const words = [...text.matchAll(WORD)].map(({ 0: word, index }) => ({ word, from: index }));
    const hidden = inRuns(
      words.map(({ word }) => isNumber(word)),
      runMin,
    );
    const masked = words
      .filter((_, at) => hidden[at])
      .reduceRight((rest, { from, word }) => rest.slice(0, from) + numberWord + rest.slice(from + word.length), text);
    return masked.replace(/\p{Nd}/gu, digit);
  };
}

function isNumber(word: string): boolean {
  const lower = word.toLowerCase();
  return DICTATIONS.some((dictation) => isNumberWord(lower, dictation));
}

/** For each word: whether it belongs to a run of at least `runMin` number words. */
function inRuns(areNumbers: readonly boolean[], runMin: number): readonly boolean[] {
  let from = 0;
  return areNumbers.map((isNumberHere, at) => {
    if (!isNumberHere) {
      from = at + 1;
      return false;
    }
    const next = areNumbers.indexOf(false, at);
    const until = next < 0 ? areNumbers.length : next;
    return until - from >= runMin;
  });
}
