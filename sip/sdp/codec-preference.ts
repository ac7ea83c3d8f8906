import { type AudioCodec, CODEC_TRAITS } from '../rtp/codecs/audio-codec.ts';

/** Groups of codecs, the best first; within a group the peer's own order holds. What is in none is not spoken. */
export type CodecPreference = readonly (readonly AudioCodec[])[];

/**
 * For offers of others, where a trunk does not say: wideband first, since recognition and the agent's voice gain from it
 * wherever the caller has it, and between the laws of G.711 the caller's own. G.722 comes before Opus as it takes less than half of
 * the processor's time.
 */
export const ANSWERED_CODECS: CodecPreference = [['g722'], ['opus'], ['pcmu', 'pcma']];

/**
 * What we offer where a trunk does not say. Most callees take what is named first, and a leg must be opened before they
 * answer: with G.711 that costs nothing, and offered wideband would have most calls converted for nothing.
 */
export const OFFERED_CODECS: readonly AudioCodec[] = ['pcmu', 'pcma'];

/** Whatever of ours the peer prefers. */
export const ANY_CODEC: CodecPreference = [['pcmu', 'pcma', 'g722', 'opus']];

/** A trunk's list, in its strict order. */
export function strictPreference(codecs: readonly AudioCodec[]): CodecPreference {
  return codecs.map((codec) => [codec]);
}

/** The codec of an `rtpmap`, by name (in any case), clock and channels; null where it is none of ours. */
export function codecOfEncoding(encoding: { name: string; clockRateHz: number; channels: number }): AudioCodec | null {
  for (const codec of ['pcmu', 'pcma', 'g722', 'opus'] as const) {
    const { encodingName, clockHz, channels } = CODEC_TRAITS[codec];
    if (encodingName.toLowerCase() !== encoding.name) continue;
    return encoding.clockRateHz === clockHz && encoding.channels === channels ? codec : null;
  }
  return null;
}
