import type { JsonValue } from './json-value.ts';

/** `{{ name }}` or `{{ name.part.0 }}`. Matches any text without braces, so that an invalid name can be reported. */
export const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
const PATH = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;

export type VariableLookup = (path: string) => JsonValue | undefined;

/** The place of a value in a text. */
export interface ValuePlace {
  /** The path that the placeholder names. */
  readonly path: string;
  /** No letter of the template precedes the value in its line. List marks, numbers and other placeholders may. */
  readonly isLeading: boolean;
}

/**
 * Characters of values in one filled text: a million tokens, more than the models read. A prompt has room for 20,000 placeholders,
 * and a value may have a million characters: without a bound one text would take the memory of all calls.
 */
export const VALUES_LENGTH_MAX = 4_000_000;

/** Appends values up to `VALUES_LENGTH_MAX`. */
class ValueBudget {
  #left = VALUES_LENGTH_MAX;

  /** False if the value does not fit; no later value fits then. */
  take(text: string): boolean {
    this.#left -= text.length;
    return !this.isSpent;
  }

  get isSpent(): boolean {
    return this.#left < 0;
  }
}

/**
 * Replaces each placeholder, in one pass: braces in a value are not expanded. A value beyond `VALUES_LENGTH_MAX` counts as missing.
 */
export function fillTemplate(
  template: string,
  lookup: VariableLookup,
  format: (value: JsonValue, place: ValuePlace) => string = textOf,
): { readonly text: string; readonly missing: string[] } {
  const missing: string[] = [];
  const budget = new ValueBudget();
  let before = { end: 0, isLeading: true };
  const text = template.replace(PLACEHOLDER, (whole, inner: string, at: number) => {
    const { isLeading } = placeAfter(template.slice(before.end, at), before.isLeading);
    before = { end: at + whole.length, isLeading };
    const path = inner.trim();
    const value = budget.isSpent ? undefined : lookup(path);
    const formatted = value === undefined ? null : format(value, { path, isLeading });
    if (formatted !== null && budget.take(formatted)) return formatted;
    missing.push(path);
    return '';
  });
  return { text, missing };
}

/** The paths of the placeholders without a value. */
export function missingIn(template: string, lookup: VariableLookup): string[] {
  return [...template.matchAll(PLACEHOLDER)]
    .map(([, inner = '']) => inner.trim())
    .filter((path) => lookup(path) === undefined);
}

/** @param text of the template since the last placeholder */
function placeAfter(text: string, wasLeading: boolean): { readonly isLeading: boolean } {
  const rows = text.split(/[\n\r\u2028\u2029]/);
  return { isLeading: (wasLeading || rows.length > 1) && !/\p{L}/u.test(rows.at(-1) ?? '') };
}

/**
 * Replaces each placeholder of a URL by its percent-encoded value. `url` is null if a value would change which path is
 * requested (see `changesPath`), if the values are longer than `VALUES_LENGTH_MAX`, or if the result has no host: a URL parser would use the first segment of
 * `https:///path` as host.
 */
export function fillUrlTemplate(
  template: string,
  lookup: VariableLookup,
): { readonly url: string | null; readonly missing: string[] } {
  const missing: string[] = [];
  const budget = new ValueBudget();
  const url = template.replace(PLACEHOLDER, (_whole, inner: string) => {
    if (budget.isSpent) return '';
    const value = lookup(inner.trim());
    if (value === undefined) missing.push(inner.trim());
    const encoded = value === undefined ? '' : encodeURIComponent(textOf(value).toWellFormed());
    return budget.take(encoded) ? encoded : '';
  });
  if (budget.isSpent) return { url: null, missing };
  const path = template.split(/[?#]/, 1)[0] ?? '';
  const hasHost = /^[^:/]+:\/\/[^/\\?#]/.test(url);
  return { url: !hasHost || path.split(/[/\\]/).some((segment) => changesPath(segment, lookup)) ? null : url, missing };
}

/** Separators of path segments, percent-encoded ones included: many servers decode a path before they split it. */
const SEGMENT_SEPARATOR = /[/\\]|%2f|%5c/i;
const DOT_SEGMENT = /^(\.|%2e){1,2}$/i;

/** Whether the values of a path segment form an empty, `.` or `..` segment, also for a server that decodes them. */
function changesPath(segment: string, lookup: VariableLookup): boolean {
  const parts = fillTemplate(segment, lookup).text.split(SEGMENT_SEPARATOR);
  return parts.some((part) => DOT_SEGMENT.test(part) || (part === '' && segment.includes('{{')));
}

/** The paths of a template's placeholders. `fault`: the first error of the template. */
export function parseTemplate(template: string): { readonly paths: string[]; readonly fault: string | null } {
  const paths: string[] = [];
  let fault: string | null = null;
  const rest = template.replace(PLACEHOLDER, (whole, inner: string) => {
    if (PATH.test(inner.trim())) paths.push(inner.trim());
    else fault ??= `${whole} is not a variable name: expected letters, digits, _ and -, with dots between nested names`;
    return '';
  });
  if (rest.includes('{{')) fault ??= 'a {{ without a closing }}';
  return { paths, fault };
}

/** The nested value at a path: `order.items.0` is in the variable `order`. */
export function valueAt(root: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  let value = root;
  for (const key of path) {
    // Not `hasOwn`: arrays have the property `length`.
    if (value === null || typeof value !== 'object' || !Object.prototype.propertyIsEnumerable.call(value, key))
      return undefined;
    value = isList(value) ? value[Number(key)] : value[key];
  }
  return value;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** A value as text for speech and requests: empty for null, JSON for objects and arrays. */
export function textOf(value: JsonValue): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
