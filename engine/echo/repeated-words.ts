/** A repetition of this many words may contain some that were transcribed differently. */
const LONG_REPETITION = 4;
/** Share of a long repetition, and of its end, that must be recognised. */
const RECOGNISED_SHARE = 0.75;
/** A transcriber may leave out this many spoken words in a row, and write this many in a row differently. */
const SKIPPED_MAX = 2;
/** From these lengths on, a word may differ in one letter, or in two. */
const ONE_ERROR_LENGTH = 4;
const TWO_ERRORS_LENGTH = 7;

/** A heard word and the spoken one that it repeats, by their places. */
export interface RepeatedWord {
  readonly heard: number;
  readonly spoken: number;
}

/**
 * Whether a heard word repeats a spoken one.
 *
 * @param before the words of the same repetition before them; null: it begins here
 */
type IsRepeated = (word: RepeatedWord, before: RepeatedWord | null) => boolean;

/**
 * The longest repetition that begins with the heard word `from`; empty without one. The words keep their order. From
 * `LONG_REPETITION` words on, a quarter may differ, of all words and of the last four, so that a repetition does not
 * extend into the words after it. A shorter one must match whole.
 */
export function repetitionAt(
  from: number,
  heardCount: number,
  spokenCount: number,
  isRepeated: IsRepeated,
): readonly RepeatedWord[] {
  let longest: readonly RepeatedWord[] = [];
  for (let spoken = 0; spoken < spokenCount; spoken++) {
    if (!isRepeated({ heard: from, spoken }, null)) continue;
    const repetition = repetitionFrom({ heard: from, spoken }, heardCount, spokenCount, isRepeated);
    if (repetition.length > longest.length) longest = repetition;
  }
  return longest;
}

function repetitionFrom(
  first: RepeatedWord,
  heardCount: number,
  spokenCount: number,
  isRepeated: IsRepeated,
): readonly RepeatedWord[] {
  const words = [first];
  let before = first;
  let recognised = 1;
  let missed = 0;
  for (let heard = first.heard + 1; heard < heardCount && missed <= SKIPPED_MAX; heard++) {
    const last = Math.min(spokenCount - 1, before.spoken + 1 + missed + SKIPPED_MAX);
    let spoken = before.spoken + 1;
    while (spoken <= last && !isRepeated({ heard, spoken }, before)) spoken++;
    missed = spoken > last ? missed + 1 : 0;
    if (missed > 0) continue;
    before = { heard, spoken };
    words.push(before);
    if (isRecognised(words)) recognised = words.length;
  }
  return words.slice(0, recognised);
}

function isRecognised(words: readonly RepeatedWord[]): boolean {
  const [first, last] = [words[0], words.at(-1)];
  if (first === undefined || last === undefined) return false;
  const heard = last.heard - first.heard + 1;
  if (heard >= LONG_REPETITION) {
    const latest = words.filter((word) => word.heard > last.heard - LONG_REPETITION);
    return words.length >= RECOGNISED_SHARE * heard && latest.length >= RECOGNISED_SHARE * LONG_REPETITION;
  }
  return words.length === heard && last.spoken - first.spoken + 1 === heard;
}

/** Whether all heard words repeat spoken ones in their order. */
export function isRepetition(heardCount: number, spokenCount: number, isRepeated: IsRepeated): boolean {
  const neededCount = heardCount < LONG_REPETITION ? heardCount : Math.ceil(RECOGNISED_SHARE * heardCount);
  for (let from = 0; from <= heardCount - neededCount; from++)
    if (repetitionAt(from, heardCount, spokenCount, isRepeated).length >= neededCount) return true;
  return false;
}

/** Whether a word may be the transcription of a spoken one: single letters of long words differ. */
export function resembles(spoken: string, heard: string, isIncomplete: boolean): boolean {
  if (spoken === heard || (isIncomplete && spoken.startsWith(heard))) return true;
  const length = Math.min(spoken.length, heard.length);
  if (length < ONE_ERROR_LENGTH) return false;
  return editDistance(spoken, heard) <= (length < TWO_ERRORS_LENGTH ? 1 : 2);
}

/** The number of letters that must be inserted, removed or replaced (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
