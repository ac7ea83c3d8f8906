/**
 * What a slow provider takes to its first byte: longer than any stall is borne, and within the deadline of the first
 * byte. Unit: ms.
 */
export const SLOW_MS = 450;
/** Of a test with a slow provider. A machine that stands still for 300 ms between two bytes is not taken for a stall. */
export const SLOW_STALL_MS = 400;
