/** Parses single words, separated by white space. */
export function wordSet(list: string): ReadonlySet<string> {
  return new Set(
    list
      .trim()
      .split(/\s+/)
      .filter((word) => word !== ''),
  );
}

/** Parses phrases of one or more words, separated by commas. */
export function phraseSet(list: string): ReadonlySet<string> {
  return new Set(
    list
      .split(',')
      .map((phrase) => phrase.trim().replace(/\s+/g, ' '))
      .filter((phrase) => phrase !== ''),
  );
}

/** All compounds of a head and a tail, separated by spaces. */
export function compounds(heads: string, tails: string): string {
  const all = heads.split(' ').flatMap((head) => tails.split(' ').map((tail) => head + tail));
  return all.join(' ');
}
