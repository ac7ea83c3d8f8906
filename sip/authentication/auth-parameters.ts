import { isToken } from '../message/token.ts';

/** One `scheme name=value, name="value"` of an authentication header (RFC 7235 §2.1, RFC 3261 §25.1). */
export interface AuthScheme {
  /** In lower case. */
  readonly scheme: string;
  /** By lower-case name. Values without their quotes, with escapes unchanged (RFC 7616 §3.3, `unq`). */
  readonly parameters: ReadonlyMap<string, string>;
}

/** SIP servers send far shorter headers; a longer one is malformed. */
const LENGTH_MAX = 8_192;

/** `name = token` or `name = "quoted"`, up to the comma or the end. */
const PARAMETER = /^\s*([^\s=,"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))\s*(?:,|$)/s;
const SCHEME = /^[\s,]*([^\s=,"]+)[\s]+(?=[^\s=,"]+\s*=)/;

/**
 * Parses the schemes of one header line. RFC 3261 §7.3.1 allows one per line, RFC 7235 several with commas.
 * @returns null for a malformed line.
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
