import { isNumberWord } from '../../../engine/completeness/dictation-detector.ts';
import { LANGUAGE_TAGS, languagePack } from '../../../engine/languages/language-packs.ts';

const WORD = /[\p{L}\p{M}'’-]+/gu;
/** A call may be in another language than its agent. */
const DICTATIONS = LANGUAGE_TAGS.map((tag) => languagePack(tag).dictation);

export type SpeechMask = (text: string) => string;

/**
 * Hides numbers in what was said, of which pauses may have made several texts: no digit stays, and no run of number words.
 *
 * @param digit replaces a digit
 * @param numberWord replaces a number word
 * @param runMin number words in a row from which on they are hidden; a single one may be an article
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

/** Which of them stand in a run that is long enough. */
function inRuns(areNumbers: readonly boolean[], runMin: number): readonly boolean[] {
  let from = 0;
  return areNumbers.map((is, at) => {
    if (!is) {
      from = at + 1;
      return false;
    }
    const behind = areNumbers.indexOf(false, at);
    return (behind < 0 ? areNumbers.length : behind) - from >= runMin;
  });
}
