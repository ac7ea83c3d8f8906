/** E.164 number: at most fifteen digits, and no network uses fewer than seven. */
const NUMBER = /^\+[1-9]\d{6,14}$/;
/** Visual separators between digits (RFC 3966 §3), and white space. */
const SEPARATORS = /[\s().\-/\u00ad\u2010-\u2015]/g;
/** RFC 3261 §25.1: user, host or address, port, parameters. URI headers are rejected: they would become part of the request. */
const SIP_URI =
  /^(sips?):(?:([A-Za-z0-9\-_.!~*'()&=+$,;?/%]+)@)?([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?((?:;[A-Za-z0-9\-_.!~*'%+$[\]/:&=]+)*)$/i;

/**
 * The canonical form of a destination: `+` and digits for E.164 numbers and global `tel:` URIs (RFC 3966); `sip:` and
 * `sips:` URIs with scheme and host in lower case. Null for any other text. Destinations with equal canonical forms are
 * dialled equally.
 */
export function normalisedDestination(text: string): string | null {
  const trimmed = text.trim();
  if (/^sips?:/i.test(trimmed)) return normalisedSip(trimmed);
  const [number = ''] = /^tel:/i.test(trimmed) ? trimmed.slice('tel:'.length).split(';') : [trimmed];
  const digits = number.replace(SEPARATORS, '');
  return NUMBER.test(digits) ? digits : null;
}

function normalisedSip(text: string): string | null {
  const [, scheme = '', user = '', host = '', port = '', parameters = ''] = SIP_URI.exec(text) ?? [];
  if (host === '') return null;
  return `${scheme.toLowerCase()}:${user === '' ? '' : `${user}@`}${host.toLowerCase()}${port}${parameters}`;
}
