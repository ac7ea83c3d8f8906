import type { OutboundInvite } from '../../sip/signalling/signalling.ts';
import type { SipTrunkRecord } from '../storage/sip-trunk-repository.ts';

/** Where a trunk's calls are sent. */
export function trunkTarget({
  terminationUri,
  transport,
}: Pick<SipTrunkRecord, 'terminationUri' | 'transport'>): OutboundInvite['trunk'] {
  return { ...hostPort(terminationUri), transport };
}

/** Of a trunk's `host[:port]`, IPv6 addresses in brackets. */
function hostPort(terminationUri: string): { readonly host: string; readonly port: number | null } {
  const match = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(terminationUri);
  return { host: match?.[1] ?? terminationUri, port: match?.[2] === undefined ? null : Number(match[2]) };
}
