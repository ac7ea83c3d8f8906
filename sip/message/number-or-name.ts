import { decodeUser, parseUri } from './uri.ts';

/** Parameters of a telephone number in a SIP URI (RFC 3261 §19.1.6): `;npdi;rn=…` of ported numbers, `;isub=…`. */
const NUMBER_PARAMETERS = /^(\+?[0-9*#().-]+);.*$/s;

/** The number or name in a URI; '' without one. */
export function numberOrName(text: string): string {
  const uri = parseUri(text);
  if (uri === null) return '';
  return decodeUser(uri.scheme === 'tel' ? uri.number : (uri.user ?? '')).replace(NUMBER_PARAMETERS, '$1');
}
