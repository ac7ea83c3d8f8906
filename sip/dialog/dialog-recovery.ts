import { getHeader } from '../message/headers.ts';
import { tagOf } from '../message/name-address.ts';
import type { SipRequest } from '../message/sip-message.ts';
import { type Hop, isSipTransport } from '../transport/transport-address.ts';
import { type DialogState, makeUasDialog, withTag } from './dialog-state.ts';

/**
 * How far the CSeq of an orphaned dialog's BYE exceeds the stored one. The store may miss the latest requests; a peer
 * refuses a lower number and accepts any higher one (RFC 3261 §12.2.2). No call sends 1,000 requests between two
 * writes.
 */
export const ORPHAN_CSEQ_MARGIN = 1_000;

/** The data with which another process can end the dialog. */
export function recoveryOf(dialog: DialogState): DialogRecovery {
  return {
    sipCallId: dialog.callId,
    localUri: dialog.localUri,
    remoteUri: dialog.remoteUri,
    localCseq: dialog.localCseq,
    routeSet: dialog.routeSet,
    remoteTarget: dialog.remoteTarget,
    transport: dialog.source.transport,
    source: { address: dialog.source.address, port: dialog.source.port },
  };
}

/** The recovery data of the dialog that a 2xx with this To tag will create. */
export function recoveryOfAnswer(invite: SipRequest, localTag: string, source: Hop): DialogRecovery {
  return recoveryOf(makeUasDialog(invite, withTag(getHeader(invite.headers, 'To') ?? '', localTag), source));
}

/** The part of an orphaned dialog that its BYE needs. */
export function dialogFromRecovery(recovery: DialogRecovery): DialogState {
  const transport = isSipTransport(recovery.transport) ? recovery.transport : 'udp';
  const source: Hop = { transport, address: recovery.source?.address ?? '', port: recovery.source?.port ?? 0 };
  return {
    callId: recovery.sipCallId,
    localTag: tagOf(recovery.localUri) ?? '',
    remoteTag: tagOf(recovery.remoteUri) ?? '',
    localUri: recovery.localUri,
    remoteUri: recovery.remoteUri,
    localCseq: recovery.localCseq + ORPHAN_CSEQ_MARGIN,
    remoteCseq: null,
    routeSet: recovery.routeSet,
    remoteTarget: recovery.remoteTarget,
    source,
  };
}

/** The dialog state for a BYE (RFC 3261 §12). Plain data, stored with the call. */
export interface DialogRecovery {
  readonly sipCallId: string;
  /** Whole From and To values of our requests, with tags. */
  readonly localUri: string;
  readonly remoteUri: string;
  readonly localCseq: number;
  readonly routeSet: readonly string[];
  readonly remoteTarget: string;
  readonly transport: string;
  /** The source of the dialog's last packet, for the case that the remote target is unreachable. */
  readonly source: { readonly address: string; readonly port: number } | null;
  /** The trunk whose credentials answer a challenge. Absent: none do, or the data was stored by an older version. */
  readonly trunkId?: string;
}
