import { parseNameAddress } from './name-address.ts';
import { isToken } from './token.ts';
import { parseUri } from './uri.ts';

export type CustomHeaderCheck =
  | { readonly ok: true }
  | { readonly ok: false; readonly faults: readonly CustomHeaderFault[] };

export interface CustomHeaderFault {
  /** The header's name; null if the fault concerns all of them. */
  readonly field: string | null;
  readonly message: string;
}

const COUNT_MAX = 32;
/** Size of names and values together, in UTF-8. */
const BYTES_MAX = 4_096;

/** Headers that a user may set besides `X-` headers; all others belong to the server or the dialog. */
const ALLOWED = new Set([
  'from',
  'to',
  'p-asserted-identity',
  'p-preferred-identity',
  'privacy',
  'diversion',
  'user-agent',
  'subject',
]);

/** Allowed headers that must hold one address, because peers parse them as such. */
const ADDRESSES = new Set(['from', 'to', 'p-asserted-identity', 'p-preferred-identity', 'diversion']);

/**
 * Checks the headers that a user sets on an outbound request. Names are tokens (RFC 3261 §25.1) without `%`, which
 * `drachtio-srf` resolves as an escape and so could turn into a line break. Values hold no control characters.
 */
export function checkCustomHeaders(headers: Readonly<Record<string, string>>): CustomHeaderCheck {
  const entries = Object.entries(headers);
  const faults: CustomHeaderFault[] = entries.flatMap(([name, value]) => {
    const message = faultOf(name, value);
    return message === null ? [] : [{ field: name, message }];
  });
  const seen = new Set<string>();
  for (const [name] of entries) {
    const lower = name.toLowerCase();
    if (seen.has(lower)) faults.push({ field: name, message: 'is set twice' });
    seen.add(lower);
  }
  if (entries.length > COUNT_MAX) faults.push({ field: null, message: `more than ${COUNT_MAX} headers` });
  const bytes = entries.reduce((sum, entry) => sum + Buffer.byteLength(entry.join('')), 0);
  if (bytes > BYTES_MAX) faults.push({ field: null, message: `more than ${BYTES_MAX} bytes` });
  return faults.length === 0 ? { ok: true } : { ok: false, faults };
}

function faultOf(name: string, value: string): string | null {
  const lower = name.toLowerCase();
  if (!isSafeHeaderName(name)) return 'is not a valid header name';
  if (!ALLOWED.has(lower) && !/^x-./.test(lower)) return 'cannot be set';
  if (!isSafeHeaderValue(value)) return 'contains a control character';
  const address = ADDRESSES.has(lower) ? parseNameAddress(value) : null;
  if (ADDRESSES.has(lower) && address === null) return 'contains no SIP address';
  // Headers of a URI are not allowed in these (RFC 3261 §19.1.1): a peer might add them to its own request.
  const uri = address === null ? null : parseUri(address.uri);
  if (uri !== null && uri.scheme !== 'tel' && uri.headers.length > 0) return 'contains a URI with headers';
  return null;
}

export function isSafeHeaderName(name: string): boolean {
  return isToken(name) && !name.includes('%');
}

export function isSafeHeaderValue(value: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this check is for control characters.
  return !/[\x00-\x1f\x7f\u0080-\u009f\u2028\u2029]/.test(value) && value.isWellFormed();
}
