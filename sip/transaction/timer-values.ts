/** RFC 3261 §17.1.1.1: the round-trip estimate, on which other intervals depend. */
export const T1_MS = 500;

/** RFC 3261 §17.1.2.2: the longest interval between two sendings of a non-INVITE request or an INVITE's response. */
export const T2_MS = 4_000;

/** RFC 3261 §17.1.2.2: how long a message may remain in the network. */
export const T4_MS = 5_000;

/** 64·T1: the value of timers B, F, H, J, L and M, and how long a 2xx waits for its ACK (RFC 3261 §13.3.1.4). */
export const TRANSACTION_TIMEOUT_MS = 64 * T1_MS;

/**
 * After this silence, the next server is tried, or the INVITE is abandoned. RFC 3263 §4.3 waits for timer B
 * or F, 32 s, which is longer than a caller waits. Over UDP, the request was sent five times until then.
 */
export const SILENT_HOP_MS = 16 * T1_MS;

/** RFC 3261 §17.1.1.2: timer D is at least 32 s over an unreliable transport. */
export const TIMER_D_MS = 32_000;

export type TransactionTimer = 'A' | 'B' | 'D' | 'E' | 'F' | 'G' | 'H' | 'I' | 'J' | 'K' | 'L' | 'M';
