import type { SpokenCharacter } from './spoken-characters.ts';

/** Indices of characters in a run; `to` is exclusive. */
export interface CharacterRange {
  readonly from: number;
  readonly to: number;
}

/** Pauses of a run at which a number may begin or end; further ones are ignored. */
const PAUSES_MAX = 24;

/** The characters as one text. */
export function digitsOf(characters: readonly SpokenCharacter[]): string {
  return characters.map(({ value }) => value).join('');
}

/** The ends of the windows of digits that begin at `from` and end with a word, the longest window first. */
export function windowsFrom(
  run: readonly SpokenCharacter[],
  from: number,
  max: number,
  min: number,
): readonly number[] {
  const ends: number[] = [];
  for (let to = from + 1; to <= Math.min(run.length, from + max); to++) {
    const last = run[to - 1];
    if (last === undefined || !/\d/.test(last.value)) break;
    if (last.isLast && to - from >= min) ends.push(to);
  }
  return ends.reverse();
}

/**
 * Calls `isFound` with each stretch of a run between two pauses, the longest first, and returns those that it accepts. Accepted stretches do not
 * overlap.
 */
export function foundBetweenPauses(
  run: readonly SpokenCharacter[],
  { max, min }: { readonly min: number; readonly max: number },
  isFound: (characters: readonly SpokenCharacter[]) => boolean,
): readonly CharacterRange[] {
  const cuts = [...run.keys()].filter((at) => run[at]?.followsPause || isPlus(run[at])).slice(0, PAUSES_MAX);
  const bounds = [...new Set([0, ...cuts, run.length])];
  const candidates = bounds
    .flatMap((from, index) => bounds.slice(index + 1).map((to) => ({ from, to })))
    .filter(({ from, to }) => to - from >= min && to - from <= max)
    .toSorted((a, b) => b.to - b.from - (a.to - a.from));
  const found: CharacterRange[] = [];
  for (const candidate of candidates) {
    const isFree = found.every(({ from, to }) => candidate.to <= from || candidate.from >= to);
    if (isFree && isFound(run.slice(candidate.from, candidate.to))) found.push(candidate);
  }
  return found;
}

function isPlus(character: SpokenCharacter | undefined): boolean {
  return character?.value === '+';
}
