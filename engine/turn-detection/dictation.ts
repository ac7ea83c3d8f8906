import type { DictationWords, LanguagePack } from '../languages/language-pack.ts';
import { wordsOf } from '../languages/words.ts';

/** What is being dictated where a turn stands. Nothing is known of how long it will be. */
export type Dictation = 'digits' | 'spelling' | 'email' | 'address';

/** A written @, made into a word that no language has. */
const AT_SIGN = 'at-sign';
/** From the @ on an address has no more words than these; past them it was something else. */
const EMAIL_HOST_WORDS_MAX = 6;
/** From a street's word to the end of its name. */
const STREET_NAME_WORDS_MAX = 3;
/** The domains that mail addresses mostly end in. */
const TOP_DOMAINS = new Set(
  'com net org info biz edu gov eu io co uk us ie fr de at ch be nl es it pt br mx ar'.split(' '),
);
const MAIL_HOSTS = new Set(
  'gmail googlemail hotmail outlook yahoo icloud gmx web live proton protonmail aol orange free wanadoo libero'.split(
    ' ',
  ),
);

/** What the user dictates at the end of these words, or null. Trailing words after which a turn goes on are skipped. */
export function dictationOf(text: string, language: LanguagePack): Dictation | null {
  const words = wordsOf(text.replaceAll('@', ` ${AT_SIGN} `));
  for (let end = words.length; end > 0; end--) {
    const kind = dictatedBy(words.slice(0, end), language.dictation);
    if (kind !== null) return kind;
    if (!language.unfinished.has(words[end - 1] ?? '')) return null;
  }
  return null;
}

/** Whether a word can be part of a number, as digits or spoken. */
export function isNumberWord(word: string, { digits, numbers }: DictationWords): boolean {
  return /^[\d.,-]*\d$/.test(word) || word.split('-').every((part) => digits.has(part) || numbers.has(part));
}

function dictatedBy(words: readonly string[], known: DictationWords): Dictation | null {
  if (isAddress(words, known)) return 'address';
  if (isEmail(words, known)) return 'email';
  return runOf(words, known);
}

/** An e-mail address whose end has not been heard. */
function isEmail(words: readonly string[], known: DictationWords): boolean {
  const at = words.findLastIndex((word) => word === AT_SIGN || known.at.has(word));
  if (at < 0) return false;
  const host = words.slice(at + 1);
  if (host.length > EMAIL_HOST_WORDS_MAX || hasDomain(host, known)) return false;
  const isCertain = words[at] === AT_SIGN || !known.ambiguous.has(words[at] ?? '');
  return isCertain || MAIL_HOSTS.has(host[0] ?? '') || known.marks.has(words[at - 2] ?? '');
}

function hasDomain(host: readonly string[], known: DictationWords): boolean {
  const last = host.at(-1) ?? '';
  return /\.\p{L}{2,}$/u.test(last) || (known.marks.has(host.at(-2) ?? '') && TOP_DOMAINS.has(last));
}

/** A street without its number or name, or a number right behind a street: the rest of the address follows. */
function isAddress(words: readonly string[], known: DictationWords): boolean {
  const at = words.findLastIndex((word) => isStreet(word, known));
  if (at < 0) return false;
  const behind = words.slice(at + 1);
  // «12 Oak Drive», «Hauptstraße»: without a number, an English street's word is an everyday one.
  if (behind.length === 0 && !known.streetNameFollows && known.streetEndings.length === 0) {
    return words.slice(Math.max(0, at - STREET_NAME_WORDS_MAX - 1), at).some((word) => isNumberWord(word, known));
  }
  if (behind.length === 0) return !known.streetNameFollows;
  const hasNumber = behind.some((word) => isNumberWord(word, known));
  const endsInNumber = isNumberWord(behind.at(-1) ?? '', known) || /^\p{L}$/u.test(behind.at(-1) ?? '');
  const nameMax = known.streetNameFollows ? STREET_NAME_WORDS_MAX : 0;
  return hasNumber ? endsInNumber && behind.length <= nameMax + 2 : behind.length <= nameMax;
}

function isStreet(word: string, { streets, streetEndings }: DictationWords): boolean {
  return streets.has(word) || streetEndings.some((ending) => word.endsWith(ending) && word.length > ending.length + 2);
}

/** One part of what is dictated. A single digit or letter tells more than a number of two digits. */
type Part = 'digit' | 'number' | 'group' | 'letter' | 'mark' | 'link';

function partOf(word: string, known: DictationWords): Part | null {
  if (known.numberLinks.has(word)) return 'link';
  if (/^\d$/.test(word) || known.digits.has(word)) return 'digit';
  if (/^\p{L}$/u.test(word) || known.alphabet.has(word)) return 'letter';
  if (known.marks.has(word)) return 'mark';
  // Leading zeros and three digits and more are no amount; four that begin so are a year.
  if (/^[\d.-]*\d$/.test(word)) return /^(19|20)\d\d$/.test(word) || /^[1-9]\d$/.test(word) ? 'number' : 'group';
  return isNumberWord(word, known) ? 'number' : null;
}

/** The digits, letters and marks that the words end in. */
function runOf(words: readonly string[], known: DictationWords): Dictation | null {
  const parts: Part[] = [];
  let from = words.length;
  for (; from > 0; from--) {
    const part = partOf(words[from - 1] ?? '', known);
    if (part === null) break;
    parts.unshift(part);
  }
  // «B as in Bob»: any word may stand behind the link.
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
    // The link stands last, or one word before the last.
    return [0, 1].some((behind) => {
      const at = words.length - behind - link.length;
      const letter = words[at - 1] ?? '';
      const isCertain = link.length > 1 || !ambiguous.has(letter) || alphabet.has(words.at(-1) ?? '');
      return isCertain && /^\p{L}$/u.test(letter) && link.every((word, index) => words[at + index] === word);
    });
  });
}
