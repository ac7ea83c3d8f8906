import { numberMask } from '../../log/number-mask.ts';

/** Headers of which only the scheme stays: nonces, responses and usernames are masked. */
const CREDENTIALS =
  /^((?:Proxy-)?(?:Authorization|Authenticate)|WWW-Authenticate|Authentication-Info)([ \t]*:[ \t]*\S+).*$/gim;
/** SDES keys (RFC 4568). The mask keeps their length, so that Content-Length stays correct. */
const KEYS = /(inline:)([A-Za-z0-9+/=]+)/g;
/** Longer digit sequences in a SIP or tel address are phone numbers. */
const ADDRESSES = /\b((?:sips?|tel):\+?)(\d{7,15})(?=[@;>\s])/gi;

/** Masks credentials, keys and phone numbers in a SIP message. Bodies keep their length. `numbers`: those of the call. */
export function maskedMessage(bytes: Uint8Array, numbers: readonly (string | null)[]): Uint8Array {
  const text = Buffer.from(bytes).toString('latin1');
  const masked = text
    .replace(CREDENTIALS, '$1$2 ***')
    .replace(KEYS, (_, name: string, key: string) => name + '*'.repeat(key.length))
    .replace(ADDRESSES, (_, scheme: string, digits: string) => scheme + numberMask([digits])(digits));
  return Uint8Array.from(Buffer.from(numberMask(numbers)(masked), 'latin1'));
}
