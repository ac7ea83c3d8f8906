import type { AudioCodec } from '../rtp/codecs/audio-codec.ts';
import type { MediaLine } from './media-line.ts';

const DEFAULT_MS = 20;
const LENGTHS_MS = [60, 40, 30, 20, 10] as const;
/** Opus has no frame of 30 ms (RFC 6716 §2.1.4). */
const OPUS_LENGTHS_MS = [60, 40, 20, 10] as const;

/** The length of our packets in ms: the peer's `ptime`, at most its `maxptime`, at least 10 ms. */
export function packetMsOf({ packetMs, packetMsMax }: MediaLine, codec: AudioCodec): number {
  const longestMs = Math.min(packetMs ?? DEFAULT_MS, packetMsMax ?? Number.POSITIVE_INFINITY);
  return (codec === 'opus' ? OPUS_LENGTHS_MS : LENGTHS_MS).find((length) => length <= longestMs) ?? 10;
}
