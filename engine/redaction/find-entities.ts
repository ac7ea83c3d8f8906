import { primaryLanguage } from '../../base/text/primary-language.ts';
import { spokenLanguage } from '../languages/spoken-language.ts';
import { bankAccounts } from './bank-accounts.ts';
import { cardNumbers } from './card-numbers.ts';
import { isOtherNumber } from './context-words.ts';
import { type CharacterRange, digitsOf, foundBetweenPauses } from './digit-windows.ts';
import { emailAddresses } from './email-addresses.ts';
import { isNationalId, isSocialSecurityNumber, NATIONAL_ID_LENGTHS } from './national-ids.ts';
import { plainWord } from './number-grammar.ts';
import { isPhoneNumber, PHONE_LENGTHS } from './phone-numbers.ts';
import type { EntitySpan, RedactionEntity } from './redaction-entity.ts';
import { type SpokenCharacter, spokenCharacters } from './spoken-characters.ts';

/** Characters before a number in which words may name it. */
const BEFORE_LENGTH = 70;
/** Characters before a number in which words may name another kind of number. */
const OTHER_BEFORE_LENGTH = 40;
const AFTER_LENGTH = 20;
const SSN_LENGTHS = { min: 9, max: 9 };

/** The input of the detectors. */
export interface EntitySearch {
  /** BCP 47; the words of a text may be in another language. */
  readonly language: string;
  readonly entities: readonly RedactionEntity[];
  /** The words of the other party before the text: a question may name the number that answers it. */
  readonly before?: string;
}

type Detector = (run: readonly SpokenCharacter[], text: string, search: EntitySearch) => readonly CharacterRange[];

/** In the order of their certainty: of overlapping spans the first one stays. */
const DETECTORS: readonly (readonly [RedactionEntity, Detector])[] = [
  ['iban', (run) => bankAccounts(run)],
  ['card', (run) => cardNumbers(run)],
  ['ssn', socialSecurityNumbers],
  ['national_id', nationalIds],
  ['phone', phoneNumbers],
];

/** Finds entities in a text, written and dictated. The spans are in the order of the text and do not overlap. */
export function findEntities(text: string, search: EntitySearch): readonly EntitySpan[] {
  const spoken = spokenLanguage(text, search.language);
  const isSame = primaryLanguage(spoken) === primaryLanguage(search.language);
  const languages = isSame ? [search.language] : [spoken, search.language];
  const spans: EntitySpan[] = [];
  for (const language of languages) for (const span of found(text, { ...search, language })) addFree(spans, span);
  return spans.toSorted((a, b) => a.from - b.from);
}

function found(text: string, search: EntitySearch): readonly EntitySpan[] {
  const emails = search.entities.includes('email') ? emailAddresses(text, search.language) : [];
  const runs = spokenCharacters(text, search.language);
  const spans: EntitySpan[] = [];
  for (const span of emails) addFree(spans, span);
  for (const [entity, detector] of DETECTORS) {
    if (!search.entities.includes(entity)) continue;
    for (const run of runs)
      for (const { from, to } of detector(run, text, search))
        addFree(spans, { entity, from: beginOf(text, run[from]?.from ?? 0), to: run[to - 1]?.to ?? 0 });
  }
  return spans;
}

/** The bracket of «(415) 555-2671» belongs to the number. */
function beginOf(text: string, from: number): number {
  return text[from - 1] === '(' ? from - 1 : from;
}

function addFree(spans: EntitySpan[], span: EntitySpan): void {
  if (spans.every(({ from, to }) => span.to <= from || span.from >= to)) spans.push(span);
}

function socialSecurityNumbers(
  run: readonly SpokenCharacter[],
  text: string,
  search: EntitySearch,
): readonly CharacterRange[] {
  return foundBetweenPauses(run, SSN_LENGTHS, (characters) => {
    const written = text.slice(characters[0]?.from, characters.at(-1)?.to);
    const isOne = isSocialSecurityNumber(digitsOf(characters), written, () => wordsBefore(characters, text, search));
    return isOne && !isNamedOtherwise(characters, text);
  });
}

function nationalIds(run: readonly SpokenCharacter[], text: string, search: EntitySearch): readonly CharacterRange[] {
  return foundBetweenPauses(run, NATIONAL_ID_LENGTHS, (characters) => {
    const isOne = isNationalId(digitsOf(characters), () => wordsBefore(characters, text, search));
    return isOne && !isNamedOtherwise(characters, text);
  });
}

function phoneNumbers(run: readonly SpokenCharacter[], text: string, search: EntitySearch): readonly CharacterRange[] {
  return foundBetweenPauses(run, PHONE_LENGTHS, (characters) => {
    const isOne = isPhoneNumber(digitsOf(characters), search.language, () => wordsBefore(characters, text, search));
    return isOne && !isNamedOtherwise(characters, text);
  });
}

function wordsBefore(characters: readonly SpokenCharacter[], text: string, { before = '' }: EntitySearch): string {
  const said = text.slice(0, characters[0]?.from ?? 0);
  return plainWord(`${before.slice(-BEFORE_LENGTH)} ${said.slice(-BEFORE_LENGTH)}`);
}

function isNamedOtherwise(characters: readonly SpokenCharacter[], text: string): boolean {
  const from = characters[0]?.from ?? 0;
  const to = characters.at(-1)?.to ?? 0;
  const before = text.slice(Math.max(0, from - OTHER_BEFORE_LENGTH), from);
  return isOtherNumber(plainWord(before), plainWord(text.slice(to, to + AFTER_LENGTH)));
}
