import type { TextRange } from './redaction-entity.ts';
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

/** The digits of a run: letters do not belong to a number of digits. */
export function digitStretches(run: readonly SpokenCharacter[]): readonly (readonly SpokenCharacter[])[] {
  return stretchesOf(run, ({ value }) => /\d/.test(value));
}

/** The characters between two pauses. */
export function pausedGroups(run: readonly SpokenCharacter[]): readonly (readonly SpokenCharacter[])[] {
  const groups: SpokenCharacter[][] = [];
  for (const character of run) {
    if (character.followsPause || groups.length === 0) groups.push([]);
    groups.at(-1)?.push(character);
  }
  return groups;
}

/** The runs, split where a span takes characters out of them. */
export function runsWithout(
  runs: readonly (readonly SpokenCharacter[])[],
  spans: readonly TextRange[],
): readonly (readonly SpokenCharacter[])[] {
  return runs.flatMap((run) =>
    stretchesOf(run, (one) => spans.every(({ from, to }) => one.to <= from || one.from >= to)),
  );
}

function stretchesOf(
  run: readonly SpokenCharacter[],
  belongs: (character: SpokenCharacter) => boolean,
): readonly (readonly SpokenCharacter[])[] {
  const stretches: SpokenCharacter[][] = [[]];
  for (const character of run)
    if (belongs(character)) stretches.at(-1)?.push(character);
    else stretches.push([]);
  return stretches.filter((stretch) => stretch.length > 0);
}

function isPlus(character: SpokenCharacter | undefined): boolean {
  return character?.value === '+';
}
