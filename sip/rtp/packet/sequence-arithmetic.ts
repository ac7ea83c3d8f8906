/**
 * Distances on counters that wrap (as in RFC 1982), by the shorter way: 2 is three after 65535, and 65535 is three before
 * 2. Both functions accept all integers and never allocate.
 */

/** Signed distance from `from` to `to` on 16-bit sequence numbers: −32768 … 32767. */
export function sequenceDistance(to: number, from: number): number {
  return ((to - from) << 16) >> 16;
}

/** Signed distance from `from` to `to` on 32-bit RTP timestamps: −2^31 … 2^31 − 1. */
export function timestampDistance(to: number, from: number): number {
  return (to - from) | 0;
}
