import { RingBuffer } from './ring-buffer.ts';

/**
 * The shared memory that stands in the place of a socket in a web call: its WebSocket is the HTTP server's and lives on
 * the main thread, its pacing in the worker. Both rings hold frames of linear16 at 16 kHz.
 */
export interface WebChannelMemory {
  readonly shared: SharedArrayBuffer;
  /** `CONNECTED`. */
  readonly control: Int32Array;
  /** Caller → worker; full: the oldest is dropped. */
  readonly heard: RingBuffer;
  /** Worker → caller; full: the agent waits. */
  readonly spoken: RingBuffer;
}

/** 1 while a browser is there; written by the main thread. */
export const CONNECTED = 0;
const CONTROL_WORDS = 16;

/** 1.9 s of frames of 20 ms: what a browser has saved up over a stall of the network comes at once. */
const HEARD_BYTES = 64 * 1024;
/** 0.4 s of frames of 20 ms: so long a stall of the main thread or the network is caught up on, beyond it the agent waits. */
const SPOKEN_BYTES = 16 * 1024;

export function createWebChannelMemory(): WebChannelMemory {
  const bytes = CONTROL_WORDS * 4 + RingBuffer.byteLength(HEARD_BYTES) + RingBuffer.byteLength(SPOKEN_BYTES);
  return viewWebChannelMemory(new SharedArrayBuffer(bytes));
}

/** The other thread's view of the same memory. */
export function viewWebChannelMemory(shared: SharedArrayBuffer): WebChannelMemory {
  const at = CONTROL_WORDS * 4;
  return {
    shared,
    control: new Int32Array(shared, 0, CONTROL_WORDS),
    heard: new RingBuffer(shared, at, HEARD_BYTES),
    spoken: new RingBuffer(shared, at + RingBuffer.byteLength(HEARD_BYTES), SPOKEN_BYTES),
  };
}
