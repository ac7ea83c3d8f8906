/** Single words, separated by white space. */
export function wordSet(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}

/** Phrases of one word or more, separated by commas. */
export function phraseSet(list: string): ReadonlySet<string> {
  return new Set(
    list
      .split(',')
      .map((phrase) => phrase.trim().replace(/\s+/g, ' '))
      .filter((phrase) => phrase !== ''),
  );
}

/** Each of the first with each of the second behind it. */
export function compounds(heads: string, tails: string): string {
  const all = heads.split(' ').flatMap((head) => tails.split(' ').map((tail) => head + tail));
  return all.join(' ');
}
