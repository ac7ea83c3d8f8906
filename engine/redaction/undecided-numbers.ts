import { digitsOf, runsWithout } from './digit-windows.ts';
import { begunAddress } from './email-addresses.ts';
import { type EntitySearch, searchesOf } from './entity-search.ts';
import { JOINED_FORMS } from './joined-forms.ts';
import { begunNumbers } from './joined-numbers.ts';
import type { RedactionEntity, TextRange } from './redaction-entity.ts';
import { type SpokenCharacter, spokenCharacters } from './spoken-characters.ts';

/**
 * From this count on, digits at the end of the words are hidden, because they may become a number. Fewer may be shown, as the first digits
 * of a card may (PCI DSS 3.4.1).
 */
const OPEN_DIGITS_MIN = 5;
/** The same for digits and letters. */
const OPEN_CHARACTERS_MIN = 6;
const HAS_LETTERS: ReadonlySet<RedactionEntity> = new Set(['iban', 'national_id']);

/** Words that may become an entity with the words that follow. */
export interface Undecided {
  readonly spans: readonly TextRange[];
  /** Its digits and letters; empty for an address. */
  readonly characters: string;
}

/**
 * Finds what may become an entity: digits, letters and the begin of an address at the end of the text, and the begin of a card, an IBAN or
 * an Italian fiscal code that other words have interrupted.
 *
 * @param taken the entities of the text
 */
export function undecidedNumbers(
  text: string,
  search: EntitySearch,
  taken: readonly TextRange[],
): readonly Undecided[] {
  const found: Undecided[] = [];
  for (const { entities, language, questionAt = () => '' } of searchesOf(text, search)) {
    const runs = runsWithout(spokenCharacters(text, language), taken);
    const open = openCharacters(
      text,
      runs,
      entities.some((entity) => HAS_LETTERS.has(entity)),
    );
    if (open !== null && entities.some((entity) => entity !== 'email')) found.push(open);
    for (const form of JOINED_FORMS) {
      if (!entities.includes(form.entity)) continue;
      for (const { characters, parts } of begunNumbers(text, runs, form, questionAt))
        found.push({ characters, spans: parts });
    }
  }
  const takenTo = Math.max(0, ...taken.map(({ to }) => to));
  const address = search.entities.includes('email') ? begunAddress(text, takenTo, search.language) : null;
  return address === null ? found : [...found, { characters: '', spans: [address] }];
}

function openCharacters(
  text: string,
  runs: readonly (readonly SpokenCharacter[])[],
  hasLetters: boolean,
): Undecided | null {
  const run = runs.at(-1) ?? [];
  const [first, last] = [run[0], run.at(-1)];
  if (first === undefined || last === undefined || /\p{L}|\d/u.test(text.slice(last.to))) return null;
  const characters = digitsOf(run);
  const isLong = characters.replace(/\D/g, '').length >= OPEN_DIGITS_MIN;
  if (!isLong && !(hasLetters && characters.length >= OPEN_CHARACTERS_MIN)) return null;
  return { characters, spans: [{ from: first.from, to: last.to }] };
}
