import { digitsOf } from './digit-windows.ts';
import { type EntitySearch, findEntities } from './find-entities.ts';
import type { EntitySpan, RedactionEntity } from './redaction-entity.ts';
import { spokenCharacters } from './spoken-characters.ts';

/**
 * From this count on, digits at the end of the words are hidden, because they may become a number. Fewer may be shown, as the first digits
 * of a card may (PCI DSS 3.4.1).
 */
const OPEN_DIGITS_MIN = 5;
/** A text that repeats this many characters of a known number reveals it. */
const KNOWN_MIN = 6;

/** A number that was found, as digits and letters. */
export interface KnownNumber {
  readonly entity: RedactionEntity;
  readonly characters: string;
}

/** A finding in a text: an entity, or digits that may still become one. */
export interface RedactedSpan extends Omit<EntitySpan, 'entity'> {
  readonly entity: RedactionEntity | 'number';
}

export interface RedactedPieces {
  /** For each piece the spans in it. */
  readonly spans: readonly (readonly RedactedSpan[])[];
  readonly numbers: readonly KnownNumber[];
  /** The digits at the end that may become a number; null without any. */
  readonly open: string | null;
}

/**
 * Finds entities in pieces that one party said one after another. A number may begin in one piece and end in another.
 *
 * @param isOpen more pieces may follow: digits at the end are hidden until they do, and the numbers that they could become are not
 *   stored by accident
 */
export function findInPieces(pieces: readonly string[], search: EntitySearch, isOpen: boolean): RedactedPieces {
  const text = pieces.join('\n');
  const entities = findEntities(text, search);
  const open =
    isOpen && search.entities.some((entity) => entity !== 'email') ? openDigits(text, search, entities) : null;
  const all: readonly RedactedSpan[] = open === null ? entities : [...entities, open.span];
  let from = 0;
  const spans = pieces.map((piece) => {
    const start = from;
    from += piece.length + 1;
    return all.flatMap((span) => within(span, start, piece.length));
  });
  return { spans, numbers: entities.map((span) => knownNumber(text, span, search)), open: open?.digits ?? null };
}

/** The places at which a text repeats known numbers, in whole or in part. */
export function findKnown(
  text: string,
  known: readonly { readonly entity: RedactedSpan['entity']; readonly characters: string }[],
  language: string,
): readonly RedactedSpan[] {
  if (known.length === 0) return [];
  return spokenCharacters(text, language).flatMap((run) => {
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
  });
}

/** Replaces spans by their names in brackets. Of overlapping spans the first one of the list stays. */
export function redactedText(text: string, spans: readonly RedactedSpan[]): string {
  const free: RedactedSpan[] = [];
  for (const span of spans) if (free.every(({ from, to }) => span.to <= from || span.from >= to)) free.push(span);
  return free
    .toSorted((a, b) => b.from - a.from)
    .reduce((rest, { entity, from, to }) => `${rest.slice(0, from)}[${entity}]${rest.slice(to)}`, text);
}

function within({ entity, from, to }: RedactedSpan, start: number, length: number): readonly RedactedSpan[] {
  const span = { entity, from: Math.max(0, from - start), to: Math.min(length, to - start) };
  return span.to > span.from ? [span] : [];
}

function openDigits(text: string, { language }: EntitySearch, entities: readonly EntitySpan[]) {
  const run = spokenCharacters(text, language).at(-1) ?? [];
  const last = run.at(-1);
  if (last === undefined || /\p{L}|\d/u.test(text.slice(last.to))) return null;
  const taken = entities.at(-1)?.to ?? 0;
  // Letters belong to it: those of an IBAN.
  const open = run.filter(({ from }) => from >= taken);
  const digits = digitsOf(open);
  const from = open[0]?.from;
  if (from === undefined || digits.replace(/\D/g, '').length < OPEN_DIGITS_MIN) return null;
  return { digits, span: { entity: 'number' as const, from, to: last.to } };
}

function knownNumber(text: string, { entity, from, to }: EntitySpan, { language }: EntitySearch): KnownNumber {
  const runs = spokenCharacters(text.slice(from, to), language);
  return { entity, characters: digitsOf(runs.flat()) };
}
