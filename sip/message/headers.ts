import { splitOutsideQuotes } from './parameters.ts';
import type { SipHeader } from './sip-message.ts';
import { trimBlanks } from './token.ts';

/** RFC 3261 §7.3.3 and the registered compact forms after it (RFC 3515, 3892, 4028, 6665, 3841, 8224). */
const LONG_FORMS: ReadonlyMap<string, string> = new Map([
  ['a', 'accept-contact'],
  ['b', 'referred-by'],
  ['c', 'content-type'],
  ['d', 'request-disposition'],
  ['e', 'content-encoding'],
  ['f', 'from'],
  ['i', 'call-id'],
  ['j', 'reject-contact'],
  ['k', 'supported'],
  ['l', 'content-length'],
  ['m', 'contact'],
  ['o', 'event'],
  ['r', 'refer-to'],
  ['s', 'subject'],
  ['t', 'to'],
  ['u', 'allow-events'],
  ['v', 'via'],
  ['x', 'session-expires'],
  ['y', 'identity'],
]);

/** Canonical names by their spelling. A message asks for each of its names some twenty times; peers have few spellings. */
const canonicalNames = new Map<string, string>();
/** Spellings that are kept. A peer that sends more pushes the others out, which are back with the next message. */
const SPELLINGS_MAX = 512;
/** No standard header has a longer name. Longer ones are not kept. */
const SPELLING_LENGTH_MAX = 40;

/** The lower-case long form that two spellings of one header share. */
export function canonicalName(name: string): string {
  const known = canonicalNames.get(name);
  if (known !== undefined) return known;
  if (name.length > SPELLING_LENGTH_MAX) return longForm(name);
  if (canonicalNames.size >= SPELLINGS_MAX) canonicalNames.clear();
  // A copy: the name may be a slice that keeps its whole message in memory.
  const spelling = Buffer.from(name).toString();
  canonicalNames.set(spelling, longForm(spelling));
  return longForm(name);
}

function longForm(name: string): string {
  const lower = name.toLowerCase();
  return LONG_FORMS.get(lower) ?? lower;
}

/** The value of the first header of that name, null without one. */
export function getHeader(headers: readonly SipHeader[], name: string): string | null {
  const canonical = canonicalName(name);
  return headers.find((header) => canonicalName(header.name) === canonical)?.value ?? null;
}

/** The value of every header line of that name, in order, unsplit. */
export function getHeaderLines(headers: readonly SipHeader[], name: string): string[] {
  const canonical = canonicalName(name);
  return headers.filter((header) => canonicalName(header.name) === canonical).map((header) => header.value);
}

/**
 * Every element of a list header, over all its lines (RFC 3261 §7.3.1). An empty line has none. A line with an open
 * quote or bracket counts as one element, which its parser refuses.
 */
export function getListValues(headers: readonly SipHeader[], name: string): string[] {
  return getHeaderLines(headers, name).flatMap((line) =>
    trimBlanks(line) === '' ? [] : (splitOutsideQuotes(line, ',') ?? [line]).map(trimBlanks),
  );
}

/** Sets one header in the place of the first of that name, otherwise at the end. Others of the name are removed. */
export function setHeader(headers: readonly SipHeader[], name: string, value: string): SipHeader[] {
  const canonical = canonicalName(name);
  const index = headers.findIndex((header) => canonicalName(header.name) === canonical);
  if (index < 0) return [...headers, { name, value }];
  return [
    ...headers.slice(0, index),
    { name, value },
    ...headers.slice(index + 1).filter((header) => canonicalName(header.name) !== canonical),
  ];
}

export function removeHeader(headers: readonly SipHeader[], name: string): SipHeader[] {
  const canonical = canonicalName(name);
  return headers.filter((header) => canonicalName(header.name) !== canonical);
}

/** Puts a header above all others, as for Via and Route. */
export function prependHeader(headers: readonly SipHeader[], name: string, value: string): SipHeader[] {
  return [{ name, value }, ...headers];
}

/** Adds those headers whose names are missing. */
export function addMissing(headers: readonly SipHeader[], more: readonly SipHeader[]): SipHeader[] {
  const names = new Set(headers.map(({ name }) => canonicalName(name)));
  return [...headers, ...more.filter(({ name }) => !names.has(canonicalName(name)))];
}
