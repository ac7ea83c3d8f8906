import type { Extensions } from '../../configuration/extensions.ts';

export function isExtension(user: string, { names, ranges }: Extensions): boolean {
  return names.has(user) || (/^\d+$/.test(user) && ranges.some((range) => isWithin(user, range)));
}

export function digitsIn(text: string): number {
  return text.match(/\d/g)?.length ?? 0;
}

/** Numbers of the same length compare as texts. */
function isWithin(user: string, { first, last }: Extensions['ranges'][number]): boolean {
  return user.length === first.length && user >= first && user <= last;
}
