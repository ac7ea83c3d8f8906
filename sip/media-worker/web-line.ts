import { Ring } from './ring.ts';

/**
 * The shared memory that stands in the place of a socket in a web call: its WebSocket is the HTTP server's and lives on
 * the main thread, its pacing in the worker. Both rings hold frames of linear16 at 16 kHz.
 */
export interface WebLineMemory {
  readonly shared: SharedArrayBuffer;
  /** `CONNECTED`. */
  readonly control: Int32Array;
  /** Caller → worker; full: the oldest is dropped. */
  readonly heard: Ring;
  /** Worker → caller; full: the agent waits. */
  readonly spoken: Ring;
}

/** 1 while a browser is there; written by the main thread. */
export const CONNECTED = 0;
const CONTROL_WORDS = 16;

/** 1.9 s of frames of 20 ms: what a browser has saved up over a stall of the network comes at once. */
const HEARD_BYTES = 64 * 1024;
/** 0.4 s of frames of 20 ms: so long a stall of the main thread or the network is caught up on, beyond it the agent waits. */
const SPOKEN_BYTES = 16 * 1024;

export function createWebLineMemory(): WebLineMemory {
  const bytes = CONTROL_WORDS * 4 + Ring.byteLength(HEARD_BYTES) + Ring.byteLength(SPOKEN_BYTES);
  return viewWebLineMemory(new SharedArrayBuffer(bytes));
}

/** The other thread's view of the same memory. */
export function viewWebLineMemory(shared: SharedArrayBuffer): WebLineMemory {
  const at = CONTROL_WORDS * 4;
  return {
    shared,
    control: new Int32Array(shared, 0, CONTROL_WORDS),
    heard: new Ring(shared, at, HEARD_BYTES),
    spoken: new Ring(shared, at + Ring.byteLength(HEARD_BYTES), SPOKEN_BYTES),
  };
}
