import { isToken } from '../message/token.ts';

/** One `scheme name=value, name="value"` of a header of authentication (RFC 7235 §2.1, RFC 3261 §25.1). */
export interface AuthScheme {
  /** In lower case. */
  readonly scheme: string;
  /** By lower-case name. A quoted value stands without its quotes, escapes as written (RFC 7616 §3.3, `unq`). */
  readonly parameters: ReadonlyMap<string, string>;
}

/** A header longer than this is none that a server of telephony sends. */
const LENGTH_MAX = 8_192;

/** `name = token` or `name = "quoted"`, up to the comma or the end. */
const PARAMETER = /^\s*([^\s=,"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))\s*(?:,|$)/s;
const SCHEME = /^[\s,]*([^\s=,"]+)[\s]+(?=[^\s=,"]+\s*=)/;

/**
 * Reads every scheme of one header line: one per line in RFC 3261 §7.3.1, several with commas in RFC 7235.
 * @returns null for a line that cannot be read to its end.
 */
export function parseAuthSchemes(line: string): AuthScheme[] | null {
  if (line.length > LENGTH_MAX) return null;
  const schemes: { scheme: string; parameters: Map<string, string> }[] = [];
  let rest = line;
  while (/[^\s,]/.test(rest)) {
    const scheme = SCHEME.exec(rest);
    if (scheme?.[1] !== undefined) {
      schemes.push({ scheme: scheme[1].toLowerCase(), parameters: new Map() });
      rest = rest.slice(scheme[0].length);
    }
    const parameter = PARAMETER.exec(rest);
    const current = schemes.at(-1);
    const name = parameter?.[1]?.toLowerCase();
    if (parameter === null || name === undefined || current === undefined) return null;
    if (!isToken(name) || current.parameters.has(name)) return null;
    current.parameters.set(name, parameter[2] ?? parameter[3] ?? '');
    rest = rest.slice(parameter[0].length);
  }
  return schemes;
}
