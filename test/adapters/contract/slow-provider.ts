/** Time to a slow provider's first byte, ms: longer than the stall deadline, shorter than the first-byte deadline. */
export const SLOW_MS = 450;
/** Stall deadline of a test with a slow provider, ms. Long enough that a busy machine does not exceed it. */
export const SLOW_STALL_MS = 400;
