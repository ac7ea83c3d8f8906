import { isToken, trimBlanks } from './token.ts';

/** One `;name=value` or `;name` of a header (RFC 3261 §25.1 generic-param) or of a URI. */
export interface Parameter {
  readonly name: string;
  /** As written, quotes included; null for a parameter without a value. */
  readonly value: string | null;
}

/** `gen-value`: a token, a host (IPv6 references and colons included) or a quoted string. */
const GENERIC_VALUE = /^(?:[^\s"<>,;=]+|"(?:[^"\\]|\\.)*")$/s;

/**
 * Parses `;a=b;c` after the address of a name-addr or the sent-by of a Via, with blanks around `;` and `=`.
 * @returns null for an empty parameter, a name that is not a token or a malformed value.
 */
export function parseParameters(text: string): Parameter[] | null {
  const rest = trimBlanks(text);
  if (rest === '') return [];
  if (!rest.startsWith(';')) return null;
  const pieces = splitOutsideQuotes(rest.slice(1), ';');
  if (pieces === null) return null;
  const parameters: Parameter[] = [];
  for (const piece of pieces) {
    const parameter = parseParameter(piece);
    if (parameter === null) return null;
    parameters.push(parameter);
  }
  return parameters;
}

function parseParameter(text: string): Parameter | null {
  const equals = text.indexOf('=');
  const name = trimBlanks(equals < 0 ? text : text.slice(0, equals));
  if (!isToken(name)) return null;
  if (equals < 0) return { name, value: null };
  const value = trimBlanks(text.slice(equals + 1));
  return GENERIC_VALUE.test(value) ? { name, value } : null;
}

export function formatParameters(parameters: readonly Parameter[]): string {
  return parameters.map(({ name, value }) => (value === null ? `;${name}` : `;${name}=${value}`)).join('');
}

/** The first parameter of that name, ignoring case: its value unquoted, '' without a value, null if absent. */
export function getParameter(parameters: readonly Parameter[], name: string): string | null {
  const lowerName = name.toLowerCase();
  const found = parameters.find((parameter) => parameter.name.toLowerCase() === lowerName);
  return found === undefined ? null : unquote(found.value ?? '');
}

/** Replaces the parameter in place, or appends it. */
export function setParameter(parameters: readonly Parameter[], name: string, value: string | null): Parameter[] {
  const lowerName = name.toLowerCase();
  const index = parameters.findIndex((parameter) => parameter.name.toLowerCase() === lowerName);
  return index < 0 ? [...parameters, { name, value }] : parameters.with(index, { name, value });
}

export function unquote(text: string): string {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return text;
  return text.slice(1, -1).replace(/\\(.)/gs, '$1');
}

export function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/**
 * Splits at separators outside quoted strings and angle brackets.
 * @returns null if a quote or a bracket stays open.
 */
export function splitOutsideQuotes(text: string, separator: string): string[] | null {
  const pieces: string[] = [];
  let start = 0;
  let quoted = false;
  let bracketed = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (quoted) {
      if (character === '\\') at++;
      else if (character === '"') quoted = false;
    } else if (bracketed) {
      if (character === '>') bracketed = false;
    } else if (character === '"') {
      quoted = true;
    } else if (character === '<') {
      bracketed = true;
    } else if (character === separator) {
      pieces.push(text.slice(start, at));
      start = at + 1;
    }
  }
  if (quoted || bracketed) return null;
  pieces.push(text.slice(start));
  return pieces;
}
