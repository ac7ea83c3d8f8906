import { z } from 'zod';

const HEADERS_MAX = 32;
/** Of all names and values together. */
const HEADERS_BYTES_MAX = 4_096;
/** What a client may say beside any `X-` header; everything else is the dialog's own (decisions, «custom_headers»). */
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
/** RFC 3261 §25.1. */
const TOKEN = /^[A-Za-z0-9\-.!%*_+`'~]+$/;
/** A line break would end the header and begin another: no control character at all. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused.
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Headers that a client puts on an INVITE or a REFER. Each fault names its header. */
export const customHeadersSchema = z.record(z.string(), z.string()).superRefine((headers, context) => {
  const refuse = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
  const entries = Object.entries(headers);
  if (entries.length > HEADERS_MAX) refuse([], `expected at most ${HEADERS_MAX} headers`);
  const bytes = entries.reduce((sum, pair) => sum + Buffer.byteLength(pair.join('')), 0);
  if (bytes > HEADERS_BYTES_MAX) refuse([], `expected at most ${HEADERS_BYTES_MAX} bytes`);
  for (const [name, value] of entries) {
    const lower = name.toLowerCase();
    if (!TOKEN.test(name)) refuse([name], 'expected the name of a SIP header');
    else if (!ALLOWED.has(lower) && !lower.startsWith('x-')) refuse([name], 'this header cannot be set');
    if (CONTROL.test(value)) refuse([name], 'expected a value without control characters');
  }
});
