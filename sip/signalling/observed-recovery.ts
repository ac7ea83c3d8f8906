import { type DialogRecovery, ORPHAN_CSEQ_MARGIN, recoveryOf, recoveryOfAnswer } from '../dialog/dialog-recovery.ts';
import { contactOf, makeUacDialog } from '../dialog/dialog-state.ts';
import type { SipRequest } from '../message/sip-message.ts';
import { type Hop, isSipTransport } from '../transport/transport-address.ts';
import type { SrfDialog, SrfMessage } from './srf-client.ts';
import { readMessage } from './srf-message.ts';

/** The highest CSeq of a request (RFC 3261 §8.1.1.5). */
const CSEQ_MAX = 2 ** 31 - 1;

/**
 * Recovery data of a call that we placed, from the INVITE and the 2xx that the library shows: for a server that reports
 * none, as a drachtio-server. null if one of them cannot be read.
 */
export function observedOutbound({ req, res }: SrfDialog): DialogRecovery | null {
  const invite = readMessage(req);
  const ok = readMessage(res);
  const { source_address: address, source_port: port, protocol: transport } = res;
  if (invite?.kind !== 'request' || ok?.kind !== 'response' || !isSipTransport(transport)) return null;
  return recoveryOf(makeUacDialog(invite, ok, { transport, address, port: Number(port) }));
}

/**
 * The same for a call that we answer, before its 2xx. The library does not show how the server numbers its own requests,
 * such as session refreshes. The BYE is the last request, so it gets the highest number.
 */
export function observedInbound(invite: SipRequest, localTag: string, source: Hop): DialogRecovery {
  return { ...recoveryOfAnswer(invite, localTag, source), localCseq: CSEQ_MAX - ORPHAN_CSEQ_MARGIN - 1 };
}

/** Follows the Contact of a peer's re-INVITE or UPDATE (RFC 3261 §12.2.2). */
export function withTargetOf(recovery: DialogRecovery, request: SrfMessage): DialogRecovery {
  const remoteTarget = contactOf(readMessage(request)?.headers ?? []);
  return remoteTarget === null ? recovery : { ...recovery, remoteTarget };
}
