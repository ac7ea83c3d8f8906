import type { DictationWords, LanguagePack } from '../languages/language-pack.ts';
import { wordsOf } from '../languages/words.ts';

/** The kind of dictation that a turn ends in. Its length is unknown. */
export type Dictation = 'digits' | 'spelling' | 'email' | 'address';

/** Stands for a written @; a word that no language has. */
export const AT_SIGN = 'at-sign';
/** Words of an e-mail address after the @; with more words it was no address. */
const EMAIL_HOST_WORDS_MAX = 6;
/** Words of a street's name, apart from the word for the street. */
const STREET_NAME_WORDS_MAX = 3;
/** The most common top-level domains of e-mail addresses. */
const TOP_DOMAINS = new Set(
  'com net org info biz edu gov eu io co uk us ie fr de at ch be nl es it pt br mx ar'.split(' '),
);
const MAIL_HOSTS = new Set(
  'gmail googlemail hotmail outlook yahoo icloud gmx web live proton protonmail aol orange free wanadoo libero'.split(
    ' ',
  ),
);

/** The dictation that a text ends in, or null. Trailing words that leave a sentence unfinished are skipped. */
export function dictationOf(text: string, language: LanguagePack): Dictation | null {
  const words = wordsOf(text.replaceAll('@', ` ${AT_SIGN} `));
  for (let end = words.length; end > 0; end--) {
    const kind = dictationAtEnd(words.slice(0, end), language.dictation);
    if (kind !== null) return kind;
    if (!leavesOpen(words[end - 1] ?? '', language)) return null;
  }
  return null;
}

function leavesOpen(word: string, { clauses }: LanguagePack): boolean {
  return clauses.open.has(word) || clauses.mostlyOpen.has(word) || clauses.openUnmarked.has(word);
}

/** Whether a word can be part of a number, as digits or spoken. */
export function isNumberWord(word: string, { digits, numbers }: DictationWords): boolean {
  return /^[\d.,-]*\d$/.test(word) || word.split('-').every((part) => digits.has(part) || numbers.has(part));
}

function dictationAtEnd(words: readonly string[], known: DictationWords): Dictation | null {
  if (isUnfinishedAddress(words, known)) return 'address';
  if (isUnfinishedEmail(words, known)) return 'email';
  return runAtEnd(words, known);
}

/** An e-mail address without its end. */
function isUnfinishedEmail(words: readonly string[], known: DictationWords): boolean {
  const at = words.findLastIndex((word) => word === AT_SIGN || known.atSign.has(word));
  if (at < 0) return false;
  const host = words.slice(at + 1);
  if (host.length > EMAIL_HOST_WORDS_MAX || hasDomain(host, known)) return false;
  const isCertain = !known.ambiguous.has(words[at] ?? '');
  return isCertain || MAIL_HOSTS.has(host[0] ?? '') || known.marks.has(words[at - 2] ?? '');
}

/** Whether the words after the @ end in a domain. */
export function hasDomain(host: readonly string[], known: DictationWords): boolean {
  const last = host.at(-1) ?? '';
  return /\.\p{L}{2,}$/u.test(last) || (known.marks.has(host.at(-2) ?? '') && TOP_DOMAINS.has(last));
}

/** A street without its number or name, or a number right after a street: the rest of the address follows. */
function isUnfinishedAddress(words: readonly string[], known: DictationWords): boolean {
  const at = words.findLastIndex((word) => isStreet(word, known));
  if (at < 0) return false;
  const following = words.slice(at + 1);
  // English: «12 Oak Drive». Without a number before it, «drive» is an everyday word.
  if (following.length === 0 && !known.streetNameFollows && known.streetEndings.length === 0) {
    return words.slice(Math.max(0, at - STREET_NAME_WORDS_MAX - 1), at).some((word) => isNumberWord(word, known));
  }
  if (following.length === 0) return !known.streetNameFollows;
  const hasNumber = following.some((word) => isNumberWord(word, known));
  const endsInNumber = isNumberWord(following.at(-1) ?? '', known) || /^\p{L}$/u.test(following.at(-1) ?? '');
  const nameMax = known.streetNameFollows ? STREET_NAME_WORDS_MAX : 0;
  return hasNumber ? endsInNumber && following.length <= nameMax + 2 : following.length <= nameMax;
}

function isStreet(word: string, { streets, streetEndings }: DictationWords): boolean {
  return streets.has(word) || streetEndings.some((ending) => word.endsWith(ending) && word.length > ending.length + 2);
}

/** A word's part in a dictation. A single digit or letter is stronger evidence than a number of two digits. */
export type Part = 'digit' | 'number' | 'group' | 'letter' | 'mark' | 'link';

export function partOf(word: string, known: DictationWords): Part | null {
  if (known.numberLinks.has(word)) return 'link';
  if (/^\d$/.test(word) || known.digits.has(word)) return 'digit';
  if (/^\p{L}$/u.test(word) || known.alphabet.has(word)) return 'letter';
  if (known.marks.has(word)) return 'mark';
  // `group`: leading zeros, or three digits and more, except a year.
  if (/^[\d.-]*\d$/.test(word)) return /^(19|20)\d\d$/.test(word) || /^[1-9]\d$/.test(word) ? 'number' : 'group';
  return isNumberWord(word, known) ? 'number' : null;
}

/** The run of digits, letters and marks that the words end in. */
function runAtEnd(words: readonly string[], known: DictationWords): Dictation | null {
  const parts: Part[] = [];
  let from = words.length;
  for (; from > 0; from--) {
    const part = partOf(words[from - 1] ?? '', known);
    if (part === null) break;
    parts.unshift(part);
  }
  // «B as in Bob»: any word may follow the link.
  if (spellsByWord(words, known)) return 'spelling';
  while (parts.length > 0 && (parts[0] === 'link' || known.ambiguous.has(words[from] ?? ''))) {
    parts.shift();
    from++;
  }
  if (parts.at(-1) === 'mark') return 'email';
  const spoken = parts.filter((part) => part !== 'mark' && part !== 'link');
  const singles = spoken.filter((part) => part === 'digit' || part === 'letter').length;
  const isRun = spoken.length >= 3 || spoken.includes('group') || (spoken.length === 2 && singles === 2);
  if (!isRun) return null;
  return spoken.includes('letter') ? 'spelling' : 'digits';
}

function spellsByWord(words: readonly string[], { letterLinks, ambiguous, alphabet }: DictationWords): boolean {
  return [...letterLinks].some((phrase) => {
    const link = phrase.split(' ');
    // The link comes last, or one word follows it.
    return [0, 1].some((following) => {
      const at = words.length - following - link.length;
      const letter = words[at - 1] ?? '';
      const isCertain = link.length > 1 || !ambiguous.has(letter) || alphabet.has(words.at(-1) ?? '');
      return isCertain && /^\p{L}$/u.test(letter) && link.every((word, index) => words[at + index] === word);
    });
  });
}
