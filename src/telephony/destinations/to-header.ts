import { formatNameAddress, parseNameAddress } from '../../../sip/message/name-address.ts';
import type { DestinationPolicy, Dialler } from './destination-ruling.ts';

type Headers = Readonly<Record<string, string>>;

export type HeaderRuling =
  | { readonly ok: true; readonly headers: Headers }
  | { readonly ok: false; readonly field: string; readonly reason: string };

/**
 * Judges the custom header that may name a destination: some peers dial To, not the Request-URI. The headers that may be sent hold To as
 * it was judged. Every other header that `checkCustomHeaders` allows names the calling side.
 */
export function judgeToHeader(headers: Headers, dialler: Dialler, policy: DestinationPolicy): HeaderRuling {
  const judged: Record<string, string> = { ...headers };
  for (const [field, value] of Object.entries(headers)) {
    if (field.toLowerCase() !== 'to') continue;
    const address = parseNameAddress(value);
    if (address === null) return { ok: false, field, reason: 'it contains no SIP address' };
    const ruling = policy(address.uri, dialler);
    if (!ruling.ok) return { ok: false, field, reason: ruling.reason };
    const { destination } = ruling;
    const uri = destination.startsWith('+') ? `tel:${destination}` : destination;
    judged[field] = formatNameAddress({ ...address, uri });
  }
  return { ok: true, headers: judged };
}
