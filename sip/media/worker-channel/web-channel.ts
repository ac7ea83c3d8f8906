import { RingBuffer } from './ring-buffer.ts';

/**
 * The shared memory that a web call uses instead of a UDP socket: the WebSocket is on the main thread, the pacing in the
 * worker. Both ring buffers contain frames of linear16 at 16 kHz.
 */
export interface WebChannelMemory {
  readonly shared: SharedArrayBuffer;
  /** One used word: `CONNECTED`. */
  readonly control: Int32Array;
  /** Browser → worker. When full, the oldest frame is dropped. */
  readonly peerAudio: RingBuffer;
  /** Worker → browser. When full, the agent waits. */
  readonly agentAudio: RingBuffer;
}

/** 1 while a browser is connected; written by the main thread. */
export const CONNECTED = 0;
const CONTROL_WORDS = 16;

/** 1.9 s of 20 ms frames: a browser sends what it buffered during a network stall at once. */
const PEER_AUDIO_BYTES = 64 * 1024;
/**
 * 0.4 s of 20 ms frames. After a stall of the main thread or the network of this length, the browser catches up. During a
 * longer stall the agent waits.
 */
const AGENT_AUDIO_BYTES = 16 * 1024;

export function createWebChannelMemory(): WebChannelMemory {
  const bytes = CONTROL_WORDS * 4 + RingBuffer.byteLength(PEER_AUDIO_BYTES) + RingBuffer.byteLength(AGENT_AUDIO_BYTES);
  return viewWebChannelMemory(new SharedArrayBuffer(bytes));
}

/** The other thread's view of the same memory. */
export function viewWebChannelMemory(shared: SharedArrayBuffer): WebChannelMemory {
  const at = CONTROL_WORDS * 4;
  return {
    shared,
    control: new Int32Array(shared, 0, CONTROL_WORDS),
    peerAudio: new RingBuffer(shared, at, PEER_AUDIO_BYTES),
    agentAudio: new RingBuffer(shared, at + RingBuffer.byteLength(PEER_AUDIO_BYTES), AGENT_AUDIO_BYTES),
  };
}
