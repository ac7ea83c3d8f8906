import { sequenceDistance } from '../packet/sequence-arithmetic.ts';

/**
 * Symmetric RTP: latches the source address of a call's packets. Only addresses from signalling can be latched. A latch
 * moves only on a new SDP, or where the same stream continues elsewhere after a silence (a NAT that rebound its port).
 * All other packets are counted and dropped.
 */
export interface PeerAddressLatch {
  /** The SDP's address and the trunk's alternatives, in the form that `dgram` reports. */
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

/** `latched`: taken, and our packets go to its source from now on. */
export type LatchVerdict = 'accepted' | 'latched' | 'dropped';

/** After this time without a packet from the latched source, the stream may continue elsewhere. */
export const RELATCH_SILENCE_MS = 500;
/** How far the sequence may have advanced by then: RFC 3550 A.1's limit of a gap. */
const MAX_CONTINUATION_PACKETS = 3000;

export function createPeerAddressLatch(): PeerAddressLatch {
  return { allowed: [], address: null, port: 0, ssrc: 0, sequence: 0, lastMs: 0, dropped: 0 };
}

/** A new SDP: the next packet from one of `allowed` is latched, whatever its SSRC. */
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
