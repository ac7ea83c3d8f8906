import type { JsonValue } from './json-value.ts';

/** `{{ name }}` or `{{ name.part.0 }}`. Matches any text without braces, so that an invalid name can be reported. */
export const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
const PATH = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;

export type VariableLookup = (path: string) => JsonValue | undefined;

/** The place of a value in a text. */
export interface ValuePlace {
  /** The path that the placeholder names. */
  readonly path: string;
  /** No letter of the template is before the value in its line: list marks, numbers and other placeholders may be. */
  readonly isLeading: boolean;
}

/** Replaces each placeholder, in one pass: braces in a value are not expanded. */
export function fillTemplate(
  template: string,
  lookup: VariableLookup,
  format: (value: JsonValue, place: ValuePlace) => string = textOf,
): { readonly text: string; readonly missing: string[] } {
  const missing: string[] = [];
  const text = template.replace(PLACEHOLDER, (_whole, inner: string, at: number) => {
    const path = inner.trim();
    const value = lookup(path);
    if (value === undefined) missing.push(path);
    return value === undefined ? '' : format(value, { path, isLeading: isLeading(template, at) });
  });
  return { text, missing };
}

function isLeading(template: string, at: number): boolean {
  const before =
    template
      .slice(0, at)
      .split(/[\n\r\u2028\u2029]/)
      .at(-1) ?? '';
  return !/\p{L}/u.test(before.replace(PLACEHOLDER, ''));
}

/**
 * Replaces each placeholder of a URL by its percent-encoded value. `url` is null if a value would change which path is
 * requested (see `changesPath`), or if the result has no host: a URL parser would use the first segment of
 * `https:///path` as host.
 */
export function fillUrlTemplate(
  template: string,
  lookup: VariableLookup,
): { readonly url: string | null; readonly missing: string[] } {
  const missing: string[] = [];
  const url = template.replace(PLACEHOLDER, (_whole, inner: string) => {
    const value = lookup(inner.trim());
    if (value === undefined) missing.push(inner.trim());
    return value === undefined ? '' : encodeURIComponent(textOf(value).toWellFormed());
  });
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
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return undefined;
    value = Object.entries(value).find(([name]) => name === key)?.[1];
  }
  return value;
}

/** A value as text for speech and requests: empty for null, JSON for objects and arrays. */
export function textOf(value: JsonValue): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
