import type { JsonValue } from './json-value.ts';

/** `{{ name }}` or `{{ name.part.0 }}`; the name is anything but braces, so that a fault can be told with it. */
export const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
const PATH = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;

export type VariableLookup = (path: string) => JsonValue | undefined;

/** The text with each placeholder replaced, in one pass: a value that holds braces is never expanded again. */
export function fillTemplate(
  template: string,
  lookup: VariableLookup,
  tell: (value: JsonValue, path: string) => string = textOf,
): { readonly text: string; readonly missing: string[] } {
  const missing: string[] = [];
  const text = template.replace(PLACEHOLDER, (_whole, inner: string) => {
    const path = inner.trim();
    const value = lookup(path);
    if (value === undefined) missing.push(path);
    return value === undefined ? '' : tell(value, path);
  });
  return { text, missing };
}

/**
 * The same for a URL: each value percent-encoded. Null where a filled value leaves a `.` or `..` segment, or no host: a URL
 * parser takes the first segment of `https:///path` for one.
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
  const path = url.split(/[?#]/, 1)[0] ?? '';
  const climbs = path.split(/[/\\]/).some((segment) => /^(\.|%2e){1,2}$/i.test(segment));
  const hasHost = /^[^:/]+:\/\/[^/\\?#]/.test(url);
  return { url: climbs || !hasHost ? null : url, missing };
}

/** The paths of a template's placeholders, or what is wrong with it. */
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

/** Where a nested value stands: `order.items.0` in the variable `order`. */
export function valueAt(root: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  let value = root;
  for (const key of path) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return undefined;
    value = Object.entries(value).find(([name]) => name === key)?.[1];
  }
  return value;
}

/** As it is spoken and sent: text as it is, nothing for null, JSON for what is nested. */
export function textOf(value: JsonValue): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
