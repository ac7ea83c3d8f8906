import type { DictationLeads, EntityKind } from '../languages/clause-words.ts';
import type { LanguagePack } from '../languages/language-pack.ts';
import { languagePack } from '../languages/language-packs.ts';

/** An announced dictation: what is dictated, and the words after the announcement. */
export interface DictationLead {
  readonly kind: EntityKind;
  readonly rest: readonly string[];
}

interface PhraseEnd {
  readonly kind: EntityKind;
  readonly from: number;
  /** Index of the first word after the phrase. */
  readonly end: number;
  readonly length: number;
}

/** The last dictation that the words announce; null without one. */
export function dictationLead(words: readonly string[], leads: DictationLeads): DictationLead | null {
  const named = phraseEnds(words, leads.topics).flatMap((found) => {
    const end = copulaEnd(words, found, leads);
    return end === null ? [] : [{ ...found, end }];
  });
  const found = [...named, ...phraseEnds(words, leads.leadIns)].toSorted(
    (a, b) => a.end - b.end || a.length - b.length,
  );
  const last = found.at(-1);
  if (last === undefined) return null;
  // «The same» is a statement, «the third» begins a date.
  const isDay = (last.kind === 'birth_date' || last.kind === 'date') && leads.ordinals.has(words[last.end + 1] ?? '');
  if (leads.statements.has(words[last.end] ?? '') && !isDay) return null;
  return { kind: last.kind, rest: words.slice(last.end) };
}

/** The kinds of dictation that a question asks for. A question that repeats a number asks only to confirm it. */
export function askedKinds(question: readonly string[], leads: DictationLeads): ReadonlySet<EntityKind> {
  const confirms = leads.confirmations.has(question[0] ?? '') || question.some((word) => /\d/.test(word));
  return new Set(confirms ? [] : phraseEnds(question, leads.topics).map(({ kind }) => kind));
}

/** The index after the copula of a topic («my number is»); a birth date needs none («born on»). */
function copulaEnd(words: readonly string[], { end, kind }: PhraseEnd, { copulas }: DictationLeads): number | null {
  let at = end;
  while (copulas.has(words[at] ?? '')) at++;
  return at > end || kind === 'birth_date' ? at : null;
}

function phraseEnds(words: readonly string[], phrases: Phrases): readonly PhraseEnd[] {
  const index = indexOf(phrases);
  const all = words.flatMap((word, from) =>
    (index.get(word) ?? [])
      .filter((phrase) => phrase.words.every((word, offset) => words[from + offset] === word))
      .map(({ kind, words: { length } }) => ({ kind, from, end: from + length, length })),
  );
  // «Order number» is no phone number, a «date of birth» not any date.
  return all.filter((lead) => !all.some((other) => contains(other, lead)));
}

type Phrases = Readonly<Partial<Record<EntityKind, ReadonlySet<string>>>>;

interface KnownPhrase {
  readonly kind: EntityKind;
  readonly words: readonly string[];
}

/** The phrases of a language by their first word: it rules out nearly all of them. */
const INDICES = new WeakMap<Phrases, ReadonlyMap<string, readonly KnownPhrase[]>>();

function indexOf(phrases: Phrases): ReadonlyMap<string, readonly KnownPhrase[]> {
  const known = INDICES.get(phrases);
  if (known !== undefined) return known;
  const all = kindsOf(phrases).flatMap(([kind, list]) =>
    [...list].map((phrase) => ({ kind, words: phrase.split(' ') })),
  );
  const index = Map.groupBy(all, ({ words }) => words[0] ?? '');
  INDICES.set(phrases, index);
  return index;
}

function contains(outer: PhraseEnd, inner: PhraseEnd): boolean {
  return outer.length > inner.length && outer.from <= inner.from && outer.end >= inner.end;
}

const KINDS: readonly EntityKind[] = [
  'phone',
  'email',
  'spelling',
  'date',
  'birth_date',
  'postcode',
  'reference',
  'address',
];

function kindsOf(phrases: Phrases): readonly (readonly [EntityKind, ReadonlySet<string>])[] {
  return KINDS.flatMap((kind) => {
    const list = phrases[kind];
    return list === undefined ? [] : [[kind, list] as const];
  });
}

const CASE_CHANGE = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu;

/**
 * The kinds of dictation that a variable or parameter is named after («phone_number», «phoneNumber»), in English or the language. A change of
 * case may also stand within a word («eMail»).
 */
export function namedKinds(name: string, language: LanguagePack): readonly EntityKind[] {
  const names = [name, name.replace(CASE_CHANGE, ' ')].map((one) => one.toLowerCase().split(/[^\p{L}\p{N}]+/u));
  const packs = [language, languagePack('en')];
  return [...new Set(packs.flatMap((pack) => names.flatMap((words) => namedIn(words, pack))))];
}

function namedIn(words: readonly string[], { clauses }: LanguagePack): readonly EntityKind[] {
  return phraseEnds(words, clauses.dictationLeads.topics).map(({ kind }) => kind);
}
