import type { RtpPeer } from './rtp-peer.ts';

/** The condition is checked after every fifth frame. */
const FRAMES_PER_CHECK = 5;

/** The speech of a peer, in frames of 20 ms. */
export interface RtpSpeech {
  /** The port of the session. */
  readonly to: number;
  readonly payloadType: number;
  /** RTP time of a frame. */
  readonly units: number;
  readonly frame: (index: number) => Uint8Array;
}

/**
 * Speaks until `isHeard` returns true. The clock is the RTP time of the received packets, which advances evenly. Their
 * number does not: they may be longer than 20 ms, and a worker that is late skips some.
 */
export async function speak(from: RtpPeer, speech: RtpSpeech, isHeard: () => boolean): Promise<void> {
  const { to, payloadType, units, frame } = speech;
  const now = () => from.packets.at(-1)?.timestamp ?? 0;
  await from.more(1);
  const start = now();
  for (let sent = 0; sent % FRAMES_PER_CHECK !== 0 || !isHeard(); sent++) {
    const { timestamp } = from;
    await from.send(to, frame(sent), payloadType);
    from.timestamp = (timestamp + units) >>> 0;
    await from.until(() => ((now() - start) | 0) >= sent * units);
  }
}

/**
 * True after each condition was true at least once, not necessarily at the same time. So no peer stops speaking before all
 * are heard.
 */
export function allOnce(...conditions: readonly (() => boolean)[]): () => boolean {
  const waiting = new Set(conditions);
  return () => {
    for (const holds of waiting) if (holds()) waiting.delete(holds);
    return waiting.size === 0;
  };
}
