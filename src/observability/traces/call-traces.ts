import type { Endpoint } from '../../../sip/capture/pcap.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import { type Captured, Captures, captureFile } from './captures.ts';
import { sipLadder } from './sip-ladder.ts';
import type { SipTraces } from './sip-traces.ts';

/** The call of a trace request. */
export type TracedCall = Pick<CallRecord, 'id' | 'fromNumber' | 'toNumber'>;

/** SIP messages and captures of a call for the API. */
export interface CallTraces {
  /** Starts a capture of RTP and RTCP. false: the call is not in progress on this node, or has no RTP. */
  capture(callId: string): boolean;
  /** SIP ladder of all legs as text. null: no messages stored. */
  ladder(call: TracedCall): string | null;
  /** pcap file. null: nothing stored. */
  pcap(call: TracedCall): Uint8Array | null;
  /** Deletes the captured RTP, together with the content of the call. */
  forget(callId: string): void;
}

export interface CallTracesOptions {
  readonly sip: Pick<SipTraces, 'of'>;
  readonly live: (callId: string) => { readonly rtp: Captured | null } | null;
  /** Own address as peers see it. */
  readonly sipEndpoint: () => Endpoint;
  readonly mediaAddress: string;
}

export function createCallTraces({ sip, live, sipEndpoint, mediaAddress }: CallTracesOptions): CallTraces {
  const captures = new Captures();
  const numbersOf = ({ fromNumber, toNumber }: TracedCall) => [fromNumber, toNumber];
  return {
    capture(callId) {
      const rtp = live(callId)?.rtp ?? null;
      if (rtp === null) return false;
      captures.begin(callId, rtp, mediaAddress);
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
