import { sequenceDistance } from '../packet/sequence-arithmetic.ts';

/**
 * Latching (RFC 7362): we send to the source address of the peer's packets. Only addresses from signalling can be
 * latched. The source that SDP names wins over every other one, at any time. Otherwise the latch moves only after a new
 * SDP, or if the same stream continues from another source after a silence (a NAT that rebound its port). All other
 * packets are counted and dropped.
 */
export interface PeerAddressLatch {
  /** The address in SDP and the alternatives of the trunk, in the form that `dgram` reports. */
  allowed: readonly string[];
  /** The port in SDP, at the first allowed address. */
  namedPort: number;
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
export type LatchResult = 'accepted' | 'latched' | 'dropped';

/** After this time without a packet from the latched source, the stream may continue from another source. */
export const RELATCH_SILENCE_MS = 500;
/** The sequence number may have advanced by this much in that time: the limit of a gap in RFC 3550 A.1. */
const CONTINUATION_PACKETS_MAX = 3000;

export function createPeerAddressLatch(): PeerAddressLatch {
  return { allowed: [], namedPort: 0, address: null, port: 0, ssrc: 0, sequence: 0, lastMs: 0, dropped: 0 };
}

/**
 * A new SDP: the source of the next packet from an allowed address is latched, with any SSRC.
 * @param allowed the address in SDP first
 */
export function openLatch(latch: PeerAddressLatch, allowed: readonly string[], namedPort: number): void {
  latch.allowed = allowed;
  latch.namedPort = namedPort;
  latch.address = null;
}

/** Whether the latched source is the one that SDP names: no other source can win the latch from it while it sends. */
export function isNamedSourceLatched({ address, allowed, namedPort, port }: PeerAddressLatch): boolean {
  return address !== null && address === allowed[0] && port === namedPort;
}

/** Checks a packet's source and updates the latch. `nowMs` is monotonic. */
export function checkSource(
  latch: PeerAddressLatch,
  address: string,
  port: number,
  ssrc: number,
  sequence: number,
  nowMs: number,
): LatchResult {
  if (address === latch.address && port === latch.port) {
    latch.ssrc = ssrc;
    latch.sequence = sequence;
    latch.lastMs = nowMs;
    return 'accepted';
  }
  const isNamed = address === latch.allowed[0] && port === latch.namedPort;
  const isFree = isNamed || latch.address === null;
  if (!latch.allowed.includes(address) || (!isFree && !goesOn(latch, ssrc, sequence, nowMs))) {
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
    nowMs - latch.lastMs >= RELATCH_SILENCE_MS && ssrc === latch.ssrc && ahead > 0 && ahead <= CONTINUATION_PACKETS_MAX
  );
}
