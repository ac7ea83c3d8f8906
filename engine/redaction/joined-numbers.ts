import { isOtherNumber } from './context-words.ts';
import { digitsOf, pausedGroups } from './digit-windows.ts';
import type { JoinedForm } from './joined-forms.ts';
import { plainWord } from './number-grammar.ts';
import type { TextRange } from './redaction-entity.ts';
import type { SpokenCharacter } from './spoken-characters.ts';

/** Words between two parts of one number: «hold on, let me turn it round». */
const WORDS_BETWEEN_MAX = 12;
/** A group of this length may be a word between two parts: «one second», «I», «a». */
const PASSED_LENGTH_MAX = 2;
const PASSED_MAX = 2;
/** Two parts may be separated anywhere; more of them only where the number is written with a gap. */
const FEW_PARTS = 2;
/** From this length on, the begin of a number is hidden until the call ends: the first eight digits of a card may be shown (PCI SSC FAQ 1091). */
const BEGIN_MIN = 8;
/** The same for a begin in several parts, of which each has the length of a written group. */
const JOINED_BEGIN_MIN = 9;
const GROUP_MIN = 4;
/** More characters than the longest number and passed groups have. */
const STRETCH_MAX = 40;
const BEFORE_LENGTH = 40;
const AFTER_LENGTH = 20;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Day and month in either order, and the year: hardly a card begins so. */
const DATE = /^(?:(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])|(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))(?:19|20)\d{2}/;
/** Words of a number's name that also speak of the rest of a number: «the last part is», «in case you need it». */
const REST_WORDS = /\b(?:parts?|in case)\b/g;

/** Words that name a number of these forms, whatever it pays for. */
const NAMES = /card|kart|tarjeta|carte|carta|kaart|cartao|iban|fiscal/;

/** Digits and letters without a pause or another word between them, and what stands beside them. */
interface Group {
  readonly characters: readonly SpokenCharacter[];
  /** Words of the text before the group, and to its end. */
  readonly wordsBefore: number;
  readonly wordsTo: number;
  /** Whether words beside it say that it is an order, a price, a count. `isFirst`: it begins a number. */
  readonly isOther: (isFirst: boolean) => boolean;
}

/** A number in parts, in the order of the text. */
export interface JoinedNumber {
  readonly parts: readonly TextRange[];
  readonly characters: string;
}

/** The search for the end of a number. */
interface Search {
  readonly groups: readonly Group[];
  readonly form: JoinedForm;
  readonly lengths: readonly number[];
}

type Runs = readonly (readonly SpokenCharacter[])[];

/** Finds the numbers of a form whose parts other words separate. `runs`: without the characters of other entities. */
export function joinedNumbers(text: string, runs: Runs, form: JoinedForm): readonly JoinedNumber[] {
  const groups = groupsOf(text, runs, form, () => '');
  const found: JoinedNumber[] = [];
  for (let at = 0; at < groups.length; at++) {
    const group = groups[at];
    const stretch = charactersOf(stretchFrom(groups, at));
    const lengths = form.lengths(digitsOf(stretch));
    const isInterrupted = stretch.length < Math.max(0, ...lengths) + PASSED_MAX * PASSED_LENGTH_MAX;
    if (group === undefined || lengths.length === 0 || !isInterrupted || group.isOther(true)) continue;
    const number = completed({ groups, form, lengths }, at + 1, [group], PASSED_MAX);
    if (number === null) continue;
    found.push(number);
    const end = number.parts.at(-1)?.to ?? 0;
    while ((groups[at + 1]?.characters[0]?.from ?? end) < end) at++;
  }
  return found;
}

/**
 * Finds what may be the begin of a number of a form, whose rest may follow behind other words.
 *
 * @param questionAt the words of the other party before an index of the text: a question may name another number
 */
export function begunNumbers(
  text: string,
  runs: Runs,
  form: JoinedForm,
  questionAt: (index: number) => string,
): readonly JoinedNumber[] {
  const groups = groupsOf(text, runs, form, questionAt);
  return groups.flatMap((_, at) => begunFrom(groups, at, form));
}

function groupsOf(text: string, runs: Runs, form: JoinedForm, questionAt: (index: number) => string): readonly Group[] {
  const words = [...text.matchAll(WORD)].map(({ index }) => index);
  let counted = 0;
  const wordsUntil = (index: number) => {
    while ((words[counted] ?? index) < index) counted++;
    return counted;
  };
  const all = runs.flatMap(form.stretches).flatMap(pausedGroups);
  return all.map((characters, at) => {
    const from = characters[0]?.from ?? 0;
    const to = characters.at(-1)?.to ?? 0;
    const isOther = (isFirst: boolean) => {
      const previous = all[at - 1]?.at(-1)?.to ?? 0;
      const said = plainWord(text.slice(Math.max(previous, from - BEFORE_LENGTH), from));
      const question = isFirst ? plainWord(questionAt(from)) : '';
      const before = isFirst ? `${question} ${said}` : said.replace(REST_WORDS, '');
      return isOtherNumber(NAMES.test(before) ? '' : before, plainWord(text.slice(to, to + AFTER_LENGTH)));
    };
    return { characters, wordsBefore: wordsUntil(from), wordsTo: wordsUntil(to), isOther };
  });
}

/** The groups from one on to the next other word, or to `STRETCH_MAX`. */
function stretchFrom(groups: readonly Group[], first: number): readonly Group[] {
  const stretch: Group[] = [];
  let length = 0;
  for (const group of groups.slice(first, first + STRETCH_MAX)) {
    if (length >= STRETCH_MAX || (stretch.length > 0 && wordsBetween(stretch, group) > 0)) break;
    stretch.push(group);
    length += group.characters.length;
  }
  return stretch;
}

/** The whole number that begins with `taken` and goes on at the group `next`, or behind a few words that look like digits. */
function completed(search: Search, next: number, taken: readonly Group[], passesLeft: number): JoinedNumber | null {
  const { form, groups, lengths } = search;
  const group = groups[next];
  if (group === undefined || wordsBetween(taken, group) > WORDS_BETWEEN_MAX) return null;
  const isOther = group.isOther(false);
  if (!isOther) {
    const ended = endedIn(group, taken, search);
    if (ended !== null) return ended;
    const longer = [...taken, group];
    const isUnfinished = lengthOf(longer) < Math.max(...lengths) && partsOf(longer).length <= form.partsMax;
    const deeper = isUnfinished ? completed(search, next + 1, longer, passesLeft) : null;
    if (deeper !== null) return deeper;
  }
  const left = isOther ? passesLeft : passesLeft - 1;
  if (left < 0 || (!isOther && group.characters.length > PASSED_LENGTH_MAX)) return null;
  return completed(search, next + 1, taken, left);
}

/** The number whose last characters are the first ones of the group. */
function endedIn(group: Group, taken: readonly Group[], { form, lengths }: Search): JoinedNumber | null {
  const before = lengthOf(taken);
  for (const length of lengths.toSorted((a, b) => b - a)) {
    if (group.characters[length - before - 1]?.isLast !== true) continue;
    const all = [...taken, { ...group, characters: group.characters.slice(0, length - before) }];
    const parts = partsOf(all);
    const isPlausible = parts.length === FEW_PARTS || isWritten(parts, length, form);
    const number = joined(all);
    if (parts.length > 1 && parts.length <= form.partsMax && isPlausible && form.passes(number.characters))
      return number;
  }
  return null;
}

/** Whether other words stand only where the number is written with a gap. */
function isWritten(parts: Runs, length: number, { hasGapAt }: JoinedForm): boolean {
  let count = 0;
  return parts.slice(0, -1).every((part) => {
    count += part.length;
    return hasGapAt(count, length);
  });
}

function begunFrom(groups: readonly Group[], first: number, form: JoinedForm): readonly JoinedNumber[] {
  const stretch = withoutLastWord(stretchFrom(groups, first));
  const digits = digitsOf(charactersOf(stretch));
  const longest = Math.max(0, ...form.lengths(digits));
  if (digits.length < GROUP_MIN || digits.length >= longest || DATE.test(digits)) return [];
  if (groups[first]?.isOther(true) !== false) return [];
  const taken = [...stretch];
  for (const group of groups.slice(first + stretch.length)) {
    if (wordsBetween(taken, group) > WORDS_BETWEEN_MAX) break;
    if (group.characters.length < GROUP_MIN || group.isOther(false)) continue;
    const longer = [...taken, group];
    const parts = partsOf(longer);
    const total = lengthOf(longer);
    const isPlausible = isWritten(parts, longest, form) && form.hasGapAt(total, longest);
    if (total >= longest || parts.length > form.partsMax || !isPlausible) break;
    taken.push(group);
  }
  const isLong = lengthOf(taken) >= (partsOf(taken).length === 1 ? BEGIN_MIN : JOINED_BEGIN_MIN);
  return isLong ? [joined(taken)] : [];
}

/** «One» of «one second» behind digits. */
function withoutLastWord(stretch: readonly Group[]): readonly Group[] {
  const isWord = stretch.length > 1 && (stretch.at(-1)?.characters.length ?? 0) <= PASSED_LENGTH_MAX;
  return isWord ? stretch.slice(0, -1) : stretch;
}

function wordsBetween(taken: readonly Group[], next: Group): number {
  return next.wordsBefore - (taken.at(-1)?.wordsTo ?? 0);
}

function charactersOf(groups: readonly Group[]): readonly SpokenCharacter[] {
  return groups.flatMap(({ characters }) => characters);
}

function lengthOf(groups: readonly Group[]): number {
  return groups.reduce((total, { characters }) => total + characters.length, 0);
}

/** The groups, joined where no other word stands between them. */
function partsOf(groups: readonly Group[]): Runs {
  const parts: SpokenCharacter[][] = [];
  for (const [at, group] of groups.entries())
    if (at > 0 && wordsBetween(groups.slice(0, at), group) === 0) parts.at(-1)?.push(...group.characters);
    else parts.push([...group.characters]);
  return parts;
}

function joined(groups: readonly Group[]): JoinedNumber {
  return {
    parts: partsOf(groups).map((part) => ({ from: part[0]?.from ?? 0, to: part.at(-1)?.to ?? 0 })),
    characters: digitsOf(charactersOf(groups)),
  };
}
