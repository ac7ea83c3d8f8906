import type { Endpoint } from '../../../sip/capture/pcap.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import { type Captured, Captures, captureFile } from './captures.ts';
import { sipLadder } from './sip-ladder.ts';
import type { SipTraces } from './sip-traces.ts';

/** Whose traces are wanted. */
export type TracedCall = Pick<CallRecord, 'id' | 'fromNumber' | 'toNumber'>;

/** What the API tells of the wire of one call. */
export interface CallTraces {
  /** Begins to capture its RTP and RTCP. False where the call is not in progress on this node, or has no RTP. */
  capture(callId: string): boolean;
  /** Of all legs of the call, answered or not, as text; null where nothing of it is kept. */
  ladder(call: TracedCall): string | null;
  /** A pcap file; null where nothing of it is kept. */
  pcap(call: TracedCall): Uint8Array | null;
  /** Drops what was captured of its RTP: what was said on it is deleted. */
  forget(callId: string): void;
}

export interface CallTracesOptions {
  readonly sip: Pick<SipTraces, 'of'>;
  readonly live: (callId: string) => { readonly media: Partial<Captured> } | null;
  /** Ours, as peers know it. */
  readonly sipEndpoint: () => Endpoint;
  readonly mediaAddress: string;
}

export function createCallTraces({ sip, live, sipEndpoint, mediaAddress }: CallTracesOptions): CallTraces {
  const captures = new Captures();
  const numbersOf = ({ fromNumber, toNumber }: TracedCall) => [fromNumber, toNumber];
  return {
    capture(callId) {
      const media = live(callId)?.media;
      if (media?.capture === undefined) return false;
      captures.begin(callId, { capture: media.capture.bind(media) }, mediaAddress);
      return true;
    },
    ladder(call) {
      const legs = sip.of(call.id);
      return legs.length === 0 ? null : sipLadder(legs, numbersOf(call));
    },
    pcap(call) {
      const entries = sip.of(call.id).flatMap((leg) => leg.entries);
      const rtp = captures.rtpOf(call.id);
      return entries.length + rtp.length === 0 ? null : captureFile(entries, numbersOf(call), sipEndpoint(), rtp);
    },
    forget: (callId) => captures.forget(callId),
  };
}
