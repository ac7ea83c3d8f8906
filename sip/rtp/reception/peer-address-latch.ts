import { sequenceDistance } from '../packet/sequence-arithmetic.ts';

/**
 * Latching (RFC 7362): we send to the source address of the peer's packets. Only addresses from signalling can be
 * latched. The latch moves only after a new SDP, or if the same stream continues from another source after a silence (a
 * NAT that rebound its port). All other packets are counted and dropped.
 */
export interface PeerAddressLatch {
  /** The address in SDP and the alternatives of the trunk, in the form that `dgram` reports. */
  allowed: readonly string[];
  /** Null until the first packet after an SDP. */
  address: string | null;
  port: number;
  ssrc: number;
  sequence: number;
  /** Monotonic ms of the last accepted packet. */
  lastMs: number;
  dropped: number;
}

/** `latched`: the packet is accepted, and our packets are sent to its source from now on. */
export type LatchVerdict = 'accepted' | 'latched' | 'dropped';

/** After this time without a packet from the latched source, the stream may continue from another source. */
export const RELATCH_SILENCE_MS = 500;
/** The sequence number may have advanced by this much in that time: the limit of a gap in RFC 3550 A.1. */
const MAX_CONTINUATION_PACKETS = 3000;

export function createPeerAddressLatch(): PeerAddressLatch {
  return { allowed: [], address: null, port: 0, ssrc: 0, sequence: 0, lastMs: 0, dropped: 0 };
}

/** A new SDP: the source of the next packet from an allowed address is latched, with any SSRC. */
export function openLatch(latch: PeerAddressLatch, allowed: readonly string[]): void {
  latch.allowed = allowed;
  latch.address = null;
}

/** Checks a packet's source and updates the latch. `nowMs` is monotonic. */
export function checkSource(
  latch: PeerAddressLatch,
  address: string,
  port: number,
  ssrc: number,
  sequence: number,
  nowMs: number,
): LatchVerdict {
  if (address === latch.address && port === latch.port) {
    latch.ssrc = ssrc;
    latch.sequence = sequence;
    latch.lastMs = nowMs;
    return 'accepted';
  }
  if (!latch.allowed.includes(address) || (latch.address !== null && !goesOn(latch, ssrc, sequence, nowMs))) {
    latch.dropped++;
    return 'dropped';
  }
  latch.address = address;
  latch.port = port;
  latch.ssrc = ssrc;
  latch.sequence = sequence;
  latch.lastMs = nowMs;
  return 'latched';
}

function goesOn(latch: PeerAddressLatch, ssrc: number, sequence: number, nowMs: number): boolean {
  const ahead = sequenceDistance(sequence, latch.sequence);
  return (
    nowMs - latch.lastMs >= RELATCH_SILENCE_MS && ssrc === latch.ssrc && ahead > 0 && ahead <= MAX_CONTINUATION_PACKETS
  );
}
