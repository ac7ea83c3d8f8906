import { bankAccounts } from './bank-accounts.ts';
import { cardDetails } from './card-details.ts';
import { cardNumbers } from './card-numbers.ts';
import { isOtherNumber } from './context-words.ts';
import { type CharacterRange, digitsOf, foundBetweenPauses, runsWithout } from './digit-windows.ts';
import { emailAddresses } from './email-addresses.ts';
import { type EntitySearch, searchesOf } from './entity-search.ts';
import { JOINED_FORMS } from './joined-forms.ts';
import { joinedNumbers } from './joined-numbers.ts';
import { isNationalId, isSocialSecurityNumber, NATIONAL_ID_LENGTHS } from './national-ids.ts';
import { plainWord } from './number-grammar.ts';
import { isPhoneNumber, PHONE_LENGTHS } from './phone-numbers.ts';
import type { FoundEntity, RedactionEntity, TextRange } from './redaction-entity.ts';
import { type SpokenCharacter, spokenCharacters } from './spoken-characters.ts';

/** Characters before a number in which words may name it. */
const BEFORE_LENGTH = 70;
/** Characters before a number in which words may name another kind of number. */
const OTHER_BEFORE_LENGTH = 40;
const AFTER_LENGTH = 20;
const SSN_LENGTHS = { min: 9, max: 9 };

type Detector = (run: readonly SpokenCharacter[], text: string, search: EntitySearch) => readonly CharacterRange[];

/** Numbers with check digits. In the order of their certainty: of overlapping spans the first one stays. */
const CHECKED: readonly (readonly [RedactionEntity, Detector])[] = [
  ['iban', (run) => bankAccounts(run)],
  ['card', (run) => cardNumbers(run)],
];
const OTHERS: readonly (readonly [RedactionEntity, Detector])[] = [
  ['ssn', socialSecurityNumbers],
  ['national_id', nationalIds],
  ['phone', phoneNumbers],
];

/** Finds entities in a text, written and dictated. The spans are in the order of the text and do not overlap. */
export function findEntities(text: string, search: EntitySearch): readonly FoundEntity[] {
  const spans: FoundEntity[] = [];
  const searches = searchesOf(text, search);
  for (const one of searches) for (const span of found(text, one)) addFree(spans, span);
  const hasCard = search.followsCard === true || spans.some(({ entity }) => entity === 'card');
  if (hasCard && search.entities.includes('card')) {
    for (const { language } of searches) {
      const runs = runsWithout(spokenCharacters(text, language), spans);
      for (const range of cardDetails(text, runs, search.questionAt ?? (() => '')))
        addFree(spans, { entity: 'card', ...range });
    }
  }
  return spans.toSorted((a, b) => a.from - b.from);
}

function found(text: string, search: EntitySearch): readonly FoundEntity[] {
  const emails = search.entities.includes('email') ? emailAddresses(text, search.language) : [];
  const runs = spokenCharacters(text, search.language);
  const spans: FoundEntity[] = [];
  for (const span of emails) addFree(spans, { ...span, characters: charactersIn(runs, span) });
  const detect = (detectors: typeof CHECKED) => {
    for (const [entity, detector] of detectors) {
      if (!search.entities.includes(entity)) continue;
      for (const run of runs)
        for (const { from, to } of detector(run, text, search)) {
          const range = { from: beginOf(text, run[from]?.from ?? 0), to: run[to - 1]?.to ?? 0 };
          addFree(spans, { entity, ...range, characters: digitsOf(run.slice(from, to)) });
        }
    }
  };
  detect(CHECKED);
  for (const form of JOINED_FORMS) {
    if (!search.entities.includes(form.entity)) continue;
    for (const { characters, parts } of joinedNumbers(text, runsWithout(runs, spans), form))
      for (const part of parts) addFree(spans, { entity: form.entity, ...part, characters });
  }
  detect(OTHERS);
  return spans;
}

/** The bracket of «(415) 555-2671» belongs to the number. */
function beginOf(text: string, from: number): number {
  return text[from - 1] === '(' ? from - 1 : from;
}

function charactersIn(runs: readonly (readonly SpokenCharacter[])[], { from, to }: TextRange): string {
  return digitsOf(runs.flat().filter((character) => character.from >= from && character.to <= to));
}

function addFree(spans: FoundEntity[], span: FoundEntity): void {
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

function wordsBefore(characters: readonly SpokenCharacter[], text: string, { questionAt }: EntitySearch): string {
  const from = characters[0]?.from ?? 0;
  const question = questionAt?.(from) ?? '';
  return plainWord(`${question.slice(-BEFORE_LENGTH)} ${text.slice(0, from).slice(-BEFORE_LENGTH)}`);
}

function isNamedOtherwise(characters: readonly SpokenCharacter[], text: string): boolean {
  const from = characters[0]?.from ?? 0;
  const to = characters.at(-1)?.to ?? 0;
  const before = text.slice(Math.max(0, from - OTHER_BEFORE_LENGTH), from);
  return isOtherNumber(plainWord(before), plainWord(text.slice(to, to + AFTER_LENGTH)));
}
