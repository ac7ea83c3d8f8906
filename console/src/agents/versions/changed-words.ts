import { type ChangeObject, diffWordsWithSpace } from 'diff';

/** Words added and removed above which both texts are shown whole: they have nothing in common. */
const EDITS_MAX = 1_500;
/** Share of the longer text that must have stayed: below it, single words that both have would only confuse. */
const SAME_SHARE_MIN = 0.3;
/** Between two texts that are shown whole. */
const BETWEEN = ' → ';
/** Characters of an unchanged stretch that are shown beside a change. */
const CONTEXT_LENGTH = 80;

export interface TextPart {
  readonly type: 'same' | 'removed' | 'added';
  readonly text: string;
  /** Index of the part among the others. */
  readonly place: number;
}

/** How a text became another, word by word. Long unchanged stretches are cut. */
export function changedWords(before: string, after: string): readonly TextPart[] {
  const found = diffWordsWithSpace(before, after, { maxEditLength: EDITS_MAX });
  if (found === undefined || sameLength(found) < SAME_SHARE_MIN * Math.max(before.length, after.length)) {
    return [
      { type: 'removed', text: before, place: 0 },
      { type: 'same', text: BETWEEN, place: 1 },
      { type: 'added', text: after, place: 2 },
    ];
  }
  return found.map(({ added, removed, value }, index) => {
    if (added || removed) return { type: added ? 'added' : 'removed', text: value, place: index };
    return { type: 'same', text: cut(value, index === 0, index === found.length - 1), place: index };
  });
}

function sameLength(found: readonly ChangeObject<string>[]): number {
  const same = found.filter(({ added, removed, value }) => !added && !removed && value.trim() !== '');
  return same.reduce((sum, { value }) => sum + value.length, 0);
}

function cut(text: string, isFirst: boolean, isLast: boolean): string {
  const begin = isFirst ? '' : text.slice(0, CONTEXT_LENGTH);
  const end = isLast ? '' : text.slice(-CONTEXT_LENGTH);
  return text.length <= 2 * CONTEXT_LENGTH ? text : `${begin}…${end}`;
}
