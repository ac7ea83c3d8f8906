import { canonicalName } from '../../../sip/message/headers.ts';
import { maskedRuns } from '../../log/number-mask.ts';

/** A start line or header with its continuation lines. */
const LINE = /[^\r\n]+(?:\r?\n[ \t][^\r\n]*)*/g;
/** Headers whose digits serve the protocol: counters, times, bodies, versions, and the identifiers of dialogs. */
const PROTOCOL =
  /^(?:via|call-id|in-reply-to|replaces|join|target-dialog|cseq|max-forwards|content-.*|rseq|rack|session-expires|min-se|expires|date|user-agent|server)$/;
/** Headers of which only the scheme stays: nonces, responses and usernames are masked. */
const CREDENTIALS = /^(?:(?:proxy|www)-)?auth(?:orization|enticate|entication-info)$/;
const SCHEME = /^[^:]*:[ \t]*(?:[\w-]+(?=\s))?/;
/** The JSON Web Token of an Identity header (RFC 8225): it spells both numbers in Base64. */
const TOKENS = /\beyJ[\w-]+(?:\.[\w-]*)*/g;

const NOTHING = /(?!)/;
const STATUS = /^(SIP\/2\.0[ ]\d{3})/;
/** A tag outside of quotes and angle brackets, where it would be a part of a name or URI. */
const TAG = /(;\s*tag\s*=\s*[^\s;,"<>@]+)(?=\s*(?:[;,]|$))/i;
/** Record-routing proxies store the tag of the From header in their URI. */
const ROUTE_TAG = /(;ftag=[^\s;,"<>@]+)(?=[;>])/i;
/** The code and address in front of the text of a warning (RFC 3261 section 20.43). */
const WARNING_AGENT = /(\b\d{3}[ ]\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?=[ ]"))/;
/** Parts of headers that are no identities, as the one group of a pattern. */
const KEPT: ReadonlyMap<string, RegExp> = new Map([
  ['from', TAG],
  ['to', TAG],
  ['record-route', ROUTE_TAG],
  ['route', ROUTE_TAG],
  ['warning', WARNING_AGENT],
]);
/** An IPv4 address, or a name with a letter and without a number, in the place of a host, not of a user. Lengths of RFC 1035. */
const HOST =
  /(?<=@|\bsips?:|\bmaddr=)(?![^\s<>",]{0,256}@)(\d{1,3}(?:\.\d{1,3}){3}(?![\w.%-])|(?=[\d.-]{0,253}[a-z])(?![\w.-]{0,253}\d{7})[\w.-]{1,253})/i;

/** Masks credentials and phone numbers in start line and headers. */
export function maskedHead(head: string): string {
  return head.replace(LINE, (line: string, at: number) => (at === 0 ? maskedText(line, STATUS) : maskedHeader(line)));
}

function maskedHeader(line: string): string {
  const name = canonicalName(/^([^\s:]+)\s*:/.exec(line)?.[1] ?? '');
  if (PROTOCOL.test(name)) return line;
  if (CREDENTIALS.test(name)) return `${SCHEME.exec(line)?.[0].trimEnd() ?? ''} ***`;
  return maskedText(line.replace(TOKENS, '***'), KEPT.get(name) ?? NOTHING);
}

function maskedText(text: string, kept: RegExp): string {
  return masked(text, kept, (part) => maskedUsers(part));
}

/** Masks the numbers in a text that may contain URIs, except in their hosts. `hidden` as for `maskedRuns`. */
export function maskedUsers(text: string, hidden?: string): string {
  return masked(text, HOST, (part) => maskedRuns(part, hidden));
}

/** Masks all but the parts that match the one group of `kept`. */
function masked(text: string, kept: RegExp, mask: (part: string) => string): string {
  return text
    .split(kept)
    .map((part, index) => (index % 2 === 1 ? part : mask(part)))
    .join('');
}
