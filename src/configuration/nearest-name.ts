import { closestMatch } from 'leven';

/** A name that differs by more edits, or by more than a third of its letters, is another name. */
const EDITS_MAX = 3;

/** The name that `wrong` probably means; undefined if none resembles it. Ignores case. */
export function nearestName(wrong: string, names: readonly string[]): string | undefined {
  const lowerCase = new Map(names.map((name) => [name.toLowerCase(), name]));
  const maxDistance = Math.min(EDITS_MAX, Math.ceil(wrong.length / 3));
  const nearest = closestMatch(wrong.toLowerCase(), [...lowerCase.keys()], { maxDistance });
  return nearest === undefined ? undefined : lowerCase.get(nearest);
}
