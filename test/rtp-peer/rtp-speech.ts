import type { RtpPeer } from './rtp-peer.ts';

/** Frames between two looks at what was heard. */
const LOOK_EVERY = 5;

/** What a peer says, in frames of 20 ms. */
export interface RtpSpeech {
  /** The port of the leg. */
  readonly to: number;
  readonly payloadType: number;
  /** RTP time of a frame. */
  readonly units: number;
  readonly frame: (index: number) => Uint8Array;
}

/**
 * Speaks until `isHeard` holds. The RTP time of the leg's packets is the peer's clock, as it goes on evenly. The number of
 * packets does not: they may be longer than 20 ms, and a worker that came too late skips some.
 */
export async function speak(from: RtpPeer, speech: RtpSpeech, isHeard: () => boolean): Promise<void> {
  const { to, payloadType, units, frame } = speech;
  const now = () => from.packets.at(-1)?.timestamp ?? 0;
  await from.more(1);
  const start = now();
  for (let said = 0; said % LOOK_EVERY !== 0 || !isHeard(); said++) {
    const { timestamp } = from;
    await from.send(to, frame(said), payloadType);
    from.timestamp = (timestamp + units) >>> 0;
    await from.until(() => ((now() - start) | 0) >= said * units);
  }
}

/**
 * True after each condition was true once, at one look or at several. So no peer stops speaking before all were heard.
 */
export function allOnce(...conditions: readonly (() => boolean)[]): () => boolean {
  const waiting = new Set(conditions);
  return () => {
    for (const holds of waiting) if (holds()) waiting.delete(holds);
    return waiting.size === 0;
  };
}
