import { spokenForm } from './speech-words.ts';

/** Costs of the differences between two texts. A replaced word costs less than a missing and an added one. */
const COST = { added: 1, missing: 1.3, similar: 0.5, replaced: 1.2 } as const;
/** Two words are similar if they share their first letters: at least this many, and half of the longer word. */
const SIMILAR_LETTERS_MIN = 2;

/** Longer texts are aligned by the count of their words: the time of an alignment grows with the product of both. */
const ALIGNED_WORDS_MAX = 300;

/** How an earlier text of the same speech corresponds to its newer text. */
export interface WordAlignment {
  /** `counterparts[n]`: newer words that correspond to the first n earlier words. */
  readonly counterparts: readonly number[];
  /** The number of earlier words that the newer text covers if it ends before the earlier one. */
  readonly covered: number;
}

/** Most revisions replace words that no turn has claimed. */
const NOTHING_EARLIER: WordAlignment = { counterparts: [0], covered: 0 };

/** Aligns words by their text. Words that follow in the newer text are new. */
export function alignWords(earlier: readonly string[], newer: readonly string[]): WordAlignment {
  if (earlier.length === 0) return NOTHING_EARLIER;
  const from = earlier.map(spokenForm);
  const to = newer.map(spokenForm);
  let same = 0;
  while (same < from.length && same < to.length && from[same] === to[same]) same++;
  const isShort = Math.max(from.length, to.length) - same <= ALIGNED_WORDS_MAX;
  const rest = (isShort ? alignRest : alignByCount)(from.slice(same), to.slice(same));
  return {
    counterparts: [...Array.from({ length: same }, (_, count) => count), ...rest.counterparts.map((at) => at + same)],
    covered: rest.covered + same,
  };
}

function alignByCount(from: readonly string[], to: readonly string[]): WordAlignment {
  const counterparts = Array.from({ length: from.length + 1 }, (_, count) => Math.min(count, to.length));
  return { counterparts, covered: Math.min(from.length, to.length) };
}

function alignRest(from: readonly string[], to: readonly string[]): WordAlignment {
  const costs = alignmentCosts(from, to);
  const cost = (row: number, column: number) => costs[row]?.[column] ?? Number.POSITIVE_INFINITY;
  const counterparts: number[] = new Array(from.length + 1).fill(0);
  let column = smallestIndex(costs[from.length] ?? []);
  for (let row = from.length; row > 0; row--) {
    while (column > 0 && isSame(cost(row, column), cost(row, column - 1) + COST.added)) column--;
    counterparts[row] = column;
    const replaced = cost(row - 1, column - 1) + replacementCost(from[row - 1], to[column - 1]);
    if (column > 0 && isSame(cost(row, column), replaced)) column--;
  }
  return { counterparts, covered: smallestIndex(costs.map((row) => row[to.length] ?? 0)) };
}

/** Edit distances between each beginning of `from` and each beginning of `to`. */
function alignmentCosts(from: readonly string[], to: readonly string[]): readonly (readonly number[])[] {
  const costs: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column * COST.added)];
  for (const [index, word] of from.entries()) {
    const before = costs[index] ?? [];
    const row = [(before[0] ?? 0) + COST.missing];
    for (const [at, other] of to.entries()) {
      const replaced = (before[at] ?? 0) + replacementCost(word, other);
      const missing = (before[at + 1] ?? 0) + COST.missing;
      row.push(Math.min(replaced, missing, (row[at] ?? 0) + COST.added));
    }
    costs.push(row);
  }
  return costs;
}

function replacementCost(word: string | undefined, other: string | undefined): number {
  if (word === undefined || other === undefined) return Number.POSITIVE_INFINITY;
  if (word === other) return 0;
  return areSimilar(word, other) ? COST.similar : COST.replaced;
}

/** Whether two words are probably spellings of one word. Words with digits never are: other digits are another number. */
export function areSimilar(word: string, other: string): boolean {
  if (/\d/.test(word + other)) return false;
  const longer = Math.max(word.length, other.length);
  let shared = 0;
  while (shared < longer && word[shared] === other[shared]) shared++;
  return shared >= SIMILAR_LETTERS_MIN && shared * 2 >= longer;
}

/** Costs are sums of fractions: compare with a tolerance. */
function isSame(cost: number, other: number): boolean {
  return Math.abs(cost - other) < 1e-9;
}

function smallestIndex(values: readonly number[]): number {
  return values.reduce((best, value, index) => (value < (values[best] ?? 0) - 1e-9 ? index : best), 0);
}
