import { LANGUAGE_TAGS } from '../languages/language-packs.ts';
import { digitsOf } from './digit-windows.ts';
import { type EntitySearch, languagesOf } from './entity-search.ts';
import { findEntities } from './find-entities.ts';
import type { FoundEntity, RedactionEntity, TextRange } from './redaction-entity.ts';
import { type SpokenCharacter, spokenCharacters } from './spoken-characters.ts';
import { undecidedNumbers } from './undecided-numbers.ts';

/** A text that repeats this many characters of a known number reveals it. */
const KNOWN_MIN = 6;

/** A number that was found, as digits and letters. */
export interface KnownNumber {
  readonly entity: RedactionEntity;
  readonly characters: string;
}

/** A known number, or digits that may become one. */
interface Repeatable {
  readonly entity: RedactedSpan['entity'];
  readonly characters: string;
}

/** A finding in a text: an entity, or words that may still become one. */
export interface RedactedSpan extends TextRange {
  readonly entity: RedactionEntity | 'number';
}

/** What one party said at one time. */
export interface DictatedPiece {
  readonly content: string;
  /** The words of the other party before it: a question may name the number that answers it. */
  readonly question: string;
}

export interface RedactedPieces {
  /** For each piece the spans in it. */
  readonly spans: readonly (readonly RedactedSpan[])[];
  readonly numbers: readonly KnownNumber[];
  /** Digits and letters that may become a number. */
  readonly undecided: readonly string[];
  /** BCP 47: the languages that the words of the pieces show, and those of the search. */
  readonly languages: readonly string[];
}

/**
 * Finds entities in pieces that one party said one after another. A number may begin in one piece and end in another.
 *
 * @param isOpen more pieces may follow: what may become an entity with them is hidden until then
 */
export function findInPieces(
  pieces: readonly DictatedPiece[],
  search: Omit<EntitySearch, 'questionAt'>,
  isOpen: boolean,
): RedactedPieces {
  const text = pieces.map(({ content }) => content).join('\n');
  let next = 0;
  const placed = pieces.map((piece) => {
    const from = next;
    next += piece.content.length + 1;
    return { ...piece, from };
  });
  const questionAt = (index: number) => placed.findLast(({ from }) => from <= index)?.question ?? '';
  const asked = { ...search, questionAt };
  const entities = findEntities(text, asked);
  const undecided = isOpen ? undecidedNumbers(text, asked, entities) : [];
  const provisional = undecided.flatMap(({ spans }) => spans.map((span) => ({ entity: 'number' as const, ...span })));
  const all: readonly RedactedSpan[] = [...entities, ...provisional];
  return {
    spans: placed.map(({ content, from }) => all.flatMap((span) => within(span, from, content.length))),
    numbers: numbersOf(entities),
    undecided: undecided.map(({ characters }) => characters).filter((characters) => characters !== ''),
    languages: languagesOf(text, search),
  };
}

/** Numbers that a text of another party holds. */
export function numbersIn(text: string, search: EntitySearch): readonly KnownNumber[] {
  return numbersOf(findEntities(text, search));
}

/**
 * The places at which a text repeats known numbers, in whole or in part, in any language. Spans of several languages may overlap: the
 * longest one comes first.
 */
export function findKnown(text: string, known: readonly Repeatable[]): readonly RedactedSpan[] {
  if (known.length === 0) return [];
  return LANGUAGE_TAGS.flatMap((language) =>
    spokenCharacters(text, language).flatMap((run) => knownIn(run, known)),
  ).toSorted((a, b) => b.to - b.from - (a.to - a.from));
}

function knownIn(run: readonly SpokenCharacter[], known: readonly Repeatable[]): readonly RedactedSpan[] {
  const said = digitsOf(run);
  const spans: RedactedSpan[] = [];
  for (let at = 0; at + KNOWN_MIN <= said.length; at++) {
    const one = known.find(({ characters }) => characters.includes(said.slice(at, at + KNOWN_MIN)));
    if (one === undefined) continue;
    let end = at + KNOWN_MIN;
    while (end < said.length && one.characters.includes(said.slice(at, end + 1))) end++;
    spans.push({ entity: one.entity, from: run[at]?.from ?? 0, to: run[end - 1]?.to ?? 0 });
    at = end - 1;
  }
  return spans;
}

/** Replaces spans by their names in brackets. Where spans overlap, the first one of the list stays whole. */
export function redactedText(text: string, spans: readonly RedactedSpan[]): string {
  const free: RedactedSpan[] = [];
  for (const span of spans) {
    const rest = free.reduce<readonly RedactedSpan[]>(
      (parts, taken) => parts.flatMap((part) => without(part, taken)),
      [span],
    );
    free.push(...rest.filter(({ from, to }) => /[\p{L}\p{N}]/u.test(text.slice(from, to))));
  }
  return free
    .toSorted((a, b) => b.from - a.from)
    .reduce((rest, { entity, from, to }) => `${rest.slice(0, from)}[${entity}]${rest.slice(to)}`, text);
}

/** What is left of a span beside another one. */
function without(span: RedactedSpan, { from, to }: RedactedSpan): readonly RedactedSpan[] {
  if (span.to <= from || span.from >= to) return [span];
  return [
    { ...span, to: from },
    { ...span, from: to },
  ].filter((part) => part.to > part.from);
}

function within({ entity, from, to }: RedactedSpan, start: number, length: number): readonly RedactedSpan[] {
  const span = { entity, from: Math.max(0, from - start), to: Math.min(length, to - start) };
  return span.to > span.from ? [span] : [];
}

/** Without numbers that are too short to be recognised again. */
function numbersOf(entities: readonly FoundEntity[]): readonly KnownNumber[] {
  return entities.filter(({ characters }) => characters.length >= KNOWN_MIN);
}
