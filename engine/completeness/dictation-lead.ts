import type { DictationLeads, EntityKind } from '../languages/clause-words.ts';
import type { LanguagePack } from '../languages/language-pack.ts';
import { languagePack } from '../languages/language-packs.ts';

/** An announced dictation: what is dictated, and the words behind the announcement. */
export interface DictationLead {
  readonly kind: EntityKind;
  readonly rest: readonly string[];
}

interface PhraseEnd {
  readonly kind: EntityKind;
  readonly from: number;
  /** Index of the first word behind the phrase. */
  readonly end: number;
  readonly length: number;
}

/** Length of the longest announcement, in words. */
const PHRASE_WORDS_MAX = 6;

/** The last dictation that the words announce; null without one. */
export function dictationLead(words: readonly string[], leads: DictationLeads): DictationLead | null {
  const named = phraseEnds(words, leads.topics).flatMap((found) => {
    const behind = behindCopula(words, found, leads);
    return behind === null ? [] : [{ ...found, end: behind }];
  });
  const found = [...named, ...phraseEnds(words, leads.leadIns)].toSorted(
    (a, b) => a.end - b.end || a.length - b.length,
  );
  const last = found.at(-1);
  if (last === undefined || leads.statements.has(words[last.end] ?? '')) return null;
  return { kind: last.kind, rest: words.slice(last.end) };
}

/** The kinds of dictation that a question asks for. A question that repeats a number asks only to confirm it. */
export function askedKinds(question: readonly string[], leads: DictationLeads): ReadonlySet<EntityKind> {
  const confirms = leads.confirmations.has(question[0] ?? '') || question.some((word) => /\d/.test(word));
  return new Set(confirms ? [] : phraseEnds(question, leads.topics).map(({ kind }) => kind));
}

/** The index behind the copula of a topic («my number is»); a birth date needs none («born on»). */
function behindCopula(words: readonly string[], { end, kind }: PhraseEnd, { copulas }: DictationLeads): number | null {
  let at = end;
  while (copulas.has(words[at] ?? '')) at++;
  return at > end || kind === 'birth_date' ? at : null;
}

function phraseEnds(
  words: readonly string[],
  phrases: Readonly<Partial<Record<EntityKind, ReadonlySet<string>>>>,
): readonly PhraseEnd[] {
  const all = kindsOf(phrases).flatMap(([kind, list]) =>
    words.flatMap((_, from) =>
      Array.from({ length: Math.min(PHRASE_WORDS_MAX, words.length - from) }, (_, index) => index + 1)
        .filter((length) => list.has(words.slice(from, from + length).join(' ')))
        .map((length) => ({ kind, from, end: from + length, length })),
    ),
  );
  // «Order number» is no phone number, a «date of birth» not any date.
  return all.filter((one) => !all.some((other) => contains(other, one)));
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

function kindsOf(
  phrases: Readonly<Partial<Record<EntityKind, ReadonlySet<string>>>>,
): readonly (readonly [EntityKind, ReadonlySet<string>])[] {
  return KINDS.flatMap((kind) => {
    const list = phrases[kind];
    return list === undefined ? [] : [[kind, list] as const];
  });
}

/** The kinds of dictation that a variable or parameter is named after («phone_number»), in English or the language. */
export function namedKinds(name: string, language: LanguagePack): readonly EntityKind[] {
  const words = name.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return [...new Set([language, languagePack('en')].flatMap((pack) => namedIn(words, pack)))];
}

function namedIn(words: readonly string[], { clauses }: LanguagePack): readonly EntityKind[] {
  return phraseEnds(words, clauses.dictationLeads.topics).map(({ kind }) => kind);
}
