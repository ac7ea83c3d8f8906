import { getListValues } from '../../../sip/message/headers.ts';
import { getParameter, parseParameters, unquote } from '../../../sip/message/parameters.ts';

/** Data, a token or a quoted string, and its parameters (RFC 7433 §4.1). */
const UUI = /^("(?:[^"\\]|\\.)*"|[^;"]*)(.*)$/s;
const HEX = /^(?:[0-9a-f]{2})+$/i;
/** In the ISDN package the first octet names the protocol (RFC 7434 §7): user-specific, or IA5 characters. No text begins with one. */
const DISCRIMINATORS: readonly number[] = [0x00, 0x04];
const CONTROL = /\p{Cc}/u;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The user-to-user information of a call as text (RFC 7433): the first value of the header without its parameters. With `encoding=hex`
 * the text that the octets spell, without a protocol discriminator; octets that spell none stay hexadecimal.
 */
export function userToUserText(header: string): string {
  const [first = ''] = getListValues([{ name: 'User-to-User', value: header }], 'User-to-User');
  const [, data = '', parameters = ''] = UUI.exec(first) ?? [];
  const text = unquote(data.trim());
  const encoding = getParameter(parseParameters(parameters) ?? [], 'encoding');
  return encoding?.toLowerCase() === 'hex' && HEX.test(text) ? (spelled(text) ?? text) : text;
}

function spelled(hex: string): string | null {
  const octets = Buffer.from(hex, 'hex');
  const [first = 0] = octets;
  try {
    const text = utf8.decode(DISCRIMINATORS.includes(first) ? octets.subarray(1) : octets);
    return CONTROL.test(text) ? null : text;
  } catch {
    return null;
  }
}
