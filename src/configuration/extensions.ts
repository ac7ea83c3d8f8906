/** `ALLOWED_EXTENSIONS`: the user parts of SIP URIs that are dialled although they are no phone numbers. */
export interface Extensions {
  readonly names: ReadonlySet<string>;
  /** First and last number, of the same count of digits. */
  readonly ranges: readonly { readonly first: string; readonly last: string }[];
}

export const NO_EXTENSIONS: Extensions = { names: new Set(), ranges: [] };

const RANGE = /^(\d{1,6})-(\d{1,6})$/;
/** The unreserved characters of a SIP user part, and those of star codes (RFC 3261 §25.1). */
export const USER_NAME = /^[A-Za-z0-9_.!~*'+#-]{1,64}$/;

/** Reads `1001,2000-2099,reception`. @returns null if an entry is neither a name, a short number nor a range of them */
export function parseExtensions(text: string): Extensions | null {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  const names = new Set<string>();
  const ranges: { first: string; last: string }[] = [];
  for (const entry of entries) {
    const [, first, last] = RANGE.exec(entry) ?? [];
    if (first !== undefined && last !== undefined) {
      if (first.length !== last.length || first > last) return null;
      ranges.push({ first, last });
    } else if (USER_NAME.test(entry) && (/[A-Za-z]/.test(entry) || /^\D*(?:\d\D*){0,6}$/.test(entry))) {
      names.add(entry);
    } else return null;
  }
  return { names, ranges };
}
