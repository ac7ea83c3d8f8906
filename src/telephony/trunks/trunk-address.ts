import type { TrunkAddress } from '../../../sip/signalling/signalling.ts';
import type { SipTrunkRecord } from '../../storage/telephony/sip-trunk-repository.ts';

/** The SIP address of a trunk, from `host[:port]` with IPv6 addresses in brackets. */
export function trunkAddress({
  terminationUri,
  transport,
}: Pick<SipTrunkRecord, 'terminationUri' | 'transport'>): TrunkAddress {
  const match = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(terminationUri);
  const port = match?.[2] === undefined ? null : Number(match[2]);
  return { host: match?.[1] ?? terminationUri, port, transport };
}
