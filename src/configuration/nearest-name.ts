import { closestMatch } from 'leven';

/** More edits than this, or than a third of the letters, make another word. */
const EDITS_MAX = 3;

/** The name that `wrong` probably stands for; undefined if none resembles it. Case does not count. */
export function nearestName(wrong: string, names: readonly string[]): string | undefined {
  const lowerCase = new Map(names.map((name) => [name.toLowerCase(), name]));
  const maxDistance = Math.min(EDITS_MAX, Math.ceil(wrong.length / 3));
  const nearest = closestMatch(wrong.toLowerCase(), [...lowerCase.keys()], { maxDistance });
  return nearest === undefined ? undefined : lowerCase.get(nearest);
}
