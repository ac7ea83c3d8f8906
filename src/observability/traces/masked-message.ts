import { endOfHeaders } from '../../../sip/message/header-section.ts';
import { decodeHeaderText } from '../../../sip/message/header-text.ts';
import { maskedDigits, maskedNumber, numberMask } from '../../log/number-mask.ts';

/** Headers of which only the scheme stays: nonces, responses and usernames are masked. */
const CREDENTIALS =
  /^((?:Proxy-)?(?:Authorization|Authenticate)|WWW-Authenticate|Authentication-Info)([ \t]*:[ \t]*\S+).*$/gim;
/** SDES keys (RFC 4568). The mask keeps their length, so that Content-Length stays correct. */
const KEYS = /(inline:)([A-Za-z0-9+/=]+)/g;
/** Longer digit sequences in a SIP or tel address are phone numbers. */
const ADDRESSES = /\b((?:sips?|tel):)(\+?\d{7,15})(?=[@;>\s])/gi;

/** The parts of a SIP message around the start of its body. */
export interface MaskedMessage {
  /** Start line and headers as text, with the empty line. */
  readonly head: string;
  readonly body: Uint8Array;
}

/** Masks credentials, keys and phone numbers in a SIP message. Bodies keep their length. `numbers`: those of the call. */
export function maskedMessage(bytes: Uint8Array, numbers: readonly (string | null)[]): MaskedMessage {
  const bodyStart = endOfHeaders(bytes, 0);
  const end = bodyStart < 0 ? bytes.length : bodyStart;
  return {
    head: maskedHead(decodeHeaderText(bytes.subarray(0, end)), numbers),
    body: maskedBody(bytes.subarray(end), numbers),
  };
}

function maskedHead(head: string, numbers: readonly (string | null)[]): string {
  const masked = head
    .replace(CREDENTIALS, '$1$2 ***')
    .replace(ADDRESSES, (_, scheme: string, number: string) => scheme + maskedNumber(number));
  return numberMask(numbers, maskedDigits)(masked);
}

/** In Latin-1, whose characters are the bytes, and with a mask of one byte: Content-Length stays correct. */
function maskedBody(body: Uint8Array, numbers: readonly (string | null)[]): Uint8Array {
  const bytewise = (number: string) => maskedNumber(number).replace(/•/g, '*');
  const masked = Buffer.from(body)
    .toString('latin1')
    .replace(KEYS, (_, name: string, key: string) => name + '*'.repeat(key.length))
    .replace(ADDRESSES, (_, scheme: string, number: string) => scheme + bytewise(number));
  return Uint8Array.from(Buffer.from(numberMask(numbers, bytewise)(masked), 'latin1'));
}
