import { primaryLanguage } from '../../base/text/primary-language.ts';
import { LANGUAGE_TAGS, languagePack } from '../languages/language-packs.ts';
import { spokenLanguage } from '../languages/spoken-language.ts';
import { numberGrammar, plainWord } from './number-grammar.ts';
import type { RedactionEntity } from './redaction-entity.ts';

/** Number words and spelled letters from which on a text may dictate a number in their language. Fewer may be articles and names. */
const DICTATION_WORDS_MIN = 3;
const WORD = /[\p{L}\p{M}]+/gu;
/** Their check digits decide, so that they are looked for in languages that no other word shows. */
const CHECKED: ReadonlySet<RedactionEntity> = new Set(['card', 'iban']);
/** The languages in which a word stands for digits or a letter. */
const TAGS: ReadonlyMap<string, readonly string[]> = tagsByWord();

/** The input of the detectors. */
export interface EntitySearch {
  /** BCP 47; the words of a text may be in another language. */
  readonly language: string;
  /** BCP 47: other languages in which the parties have spoken. */
  readonly languages?: readonly string[];
  readonly entities: readonly RedactionEntity[];
  /** The words of the other party before an index of the text: a question may name the number that answers it. */
  readonly questionAt?: (index: number) => string;
  /** A card was given before: its expiry date and security code may be in the text. */
  readonly followsCard?: boolean;
}

/** One search for each language in which entities of the text may be dictated, the most probable language first. */
export function searchesOf(text: string, search: EntitySearch): readonly EntitySearch[] {
  const spoken = languagesOf(text, search);
  const entities = search.entities.filter((entity) => CHECKED.has(entity));
  const known = new Set(spoken.map(primaryLanguage));
  const others = entities.length === 0 ? [] : dictationLanguages(text).filter((language) => !known.has(language));
  return [
    ...spoken.map((language) => ({ ...search, language })),
    ...others.map((language) => ({ ...search, language, entities })),
  ];
}

/** The languages of a text: that of its words, and those in which the parties speak. */
export function languagesOf(
  text: string,
  { language, languages = [] }: Pick<EntitySearch, 'language' | 'languages'>,
): readonly string[] {
  const spoken = spokenLanguage(text, language);
  const all = primaryLanguage(spoken) === primaryLanguage(language) ? [language] : [spoken, language];
  return [...new Set([...all, ...languages])];
}

/** The languages in which a text may dictate a number, by its number words alone. */
function dictationLanguages(text: string): readonly string[] {
  const counts = new Map<string, number>();
  for (const [word] of text.matchAll(WORD))
    for (const tag of TAGS.get(plainWord(word)) ?? []) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return LANGUAGE_TAGS.filter((tag) => (counts.get(tag) ?? 0) >= DICTATION_WORDS_MIN);
}

function tagsByWord(): ReadonlyMap<string, readonly string[]> {
  const tags = new Map<string, string[]>();
  for (const tag of LANGUAGE_TAGS) {
    const alphabet = [...languagePack(tag).dictation.alphabet].map(plainWord);
    for (const word of new Set([...numberGrammar(tag).parts.keys(), ...alphabet]))
      tags.set(word, [...(tags.get(word) ?? []), tag]);
  }
  return tags;
}
