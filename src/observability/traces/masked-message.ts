import { numberMask } from '../log/number-mask.ts';

/** What may be read of these is the scheme: nonces, responses and names go. */
const CREDENTIALS =
  /^((?:Proxy-)?(?:Authorization|Authenticate)|WWW-Authenticate|Authentication-Info)([ \t]*:[ \t]*\S+).*$/gim;
/** SDES keys (RFC 4568): as long as before, so that Content-Length stays true. */
const KEYS = /(inline:)([A-Za-z0-9+/=]+)/g;
/** Longer runs of digits within a SIP or tel address are numbers. */
const ADDRESSES = /\b((?:sips?|tel):\+?)(\d{7,15})(?=[@;>\s])/gi;

/** A SIP message without credentials, keys and numbers, every body as long as it was. `numbers`: those of the call. */
export function maskedMessage(bytes: Uint8Array, numbers: readonly (string | null)[]): Uint8Array {
  const text = Buffer.from(bytes).toString('latin1');
  const masked = text
    .replace(CREDENTIALS, '$1$2 ***')
    .replace(KEYS, (_, name: string, key: string) => name + '*'.repeat(key.length))
    .replace(ADDRESSES, (_, scheme: string, digits: string) => scheme + numberMask([digits])(digits));
  return Uint8Array.from(Buffer.from(numberMask(numbers)(masked), 'latin1'));
}
