import { endOfHeaders } from '../../../sip/message/header-section.ts';
import { decodeHeaderText } from '../../../sip/message/header-text.ts';
import { maskedDigits, maskedRuns, numberMask } from '../../log/number-mask.ts';
import { maskedHead, maskedUsers } from './masked-head.ts';

/** SDES keys (RFC 4568). The mask keeps their length, so that Content-Length stays correct. */
const KEYS = /(inline:)([A-Za-z0-9+/=]+)/g;
/** A SIP or tel URI. */
const URIS = /\b(?:sips?|tel):[^\s<>"]{1,512}/gi;
/** Lines of SDP for people: name, title, link, e-mail, phone (RFC 8866). All others hold ports, addresses and identifiers. */
const DESCRIPTIONS = /^[siuep]=.*$/gm;
const CR = 0x0d;
const LF = 0x0a;

/** The parts of a SIP message around the start of its body. */
export interface MaskedMessage {
  /** Start line and headers as text, with the empty line. */
  readonly head: string;
  readonly body: Uint8Array;
}

/** Masks credentials, keys and phone numbers in a SIP message. Bodies keep their length. `numbers`: those of the call. */
export function maskedMessage(message: Uint8Array, numbers: readonly (string | null)[]): MaskedMessage {
  const bytes = message.subarray(startOf(message));
  const bodyStart = endOfHeaders(bytes, 0);
  const end = bodyStart < 0 ? bytes.length : bodyStart;
  const head = numberMask(numbers, maskedDigits)(decodeHeaderText(bytes.subarray(0, end)));
  return { head: maskedHead(head), body: maskedBody(bytes.subarray(end), numbers) };
}

/** Empty lines before the start line are no end of the headers (RFC 3261 section 7.5). */
function startOf(message: Uint8Array): number {
  return Math.max(
    0,
    message.findIndex((byte) => byte !== CR && byte !== LF),
  );
}

/** In Latin-1, whose characters are the bytes, and with a mask of one byte: Content-Length stays correct. */
function maskedBody(body: Uint8Array, numbers: readonly (string | null)[]): Uint8Array {
  const known = numberMask(numbers, (digits) => maskedDigits(digits, '*'));
  const open = Buffer.from(body)
    .toString('latin1')
    .replace(KEYS, (_, name: string, key: string) => name + '*'.repeat(key.length));
  const masked = known(open)
    .replace(URIS, (uri) => maskedUsers(uri, '*'))
    .replace(DESCRIPTIONS, (line) => maskedRuns(line, '*'));
  return Uint8Array.from(Buffer.from(masked, 'latin1'));
}
