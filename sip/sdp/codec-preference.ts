import { type AudioCodec, CODEC_TRAITS } from '../rtp/codecs/audio-codec.ts';

/** Groups of codecs, the best first; within a group the peer's order decides. Codecs in no group are not used. */
export type CodecPreference = readonly (readonly AudioCodec[])[];

/**
 * For offers of peers, where the trunk has no list: wideband first, which improves recognition and the agent's voice,
 * and between the laws of G.711 the peer's choice. G.722 precedes Opus as it needs less than half of the CPU time.
 */
export const ANSWERED_CODECS: CodecPreference = [['g722'], ['opus'], ['pcmu', 'pcma']];

/**
 * Our offer where the trunk has no list. Most callees take the first codec, and a session is opened before they answer.
 * With G.711 that needs no conversion, while offered wideband would convert most calls for nothing.
 */
export const OFFERED_CODECS: readonly AudioCodec[] = ['pcmu', 'pcma'];

/** Any codec of ours, in the peer's order. */
export const ANY_CODEC: CodecPreference = [['pcmu', 'pcma', 'g722', 'opus']];

/** A trunk's list as a strict order. */
export function strictPreference(codecs: readonly AudioCodec[]): CodecPreference {
  return codecs.map((codec) => [codec]);
}

/** The codec of an `rtpmap`, by name (ignoring case), clock and channels; null for a codec that is not ours. */
export function codecOfEncoding(encoding: { name: string; clockRateHz: number; channels: number }): AudioCodec | null {
  for (const codec of ['pcmu', 'pcma', 'g722', 'opus'] as const) {
    const { encodingName, clockHz, channels } = CODEC_TRAITS[codec];
    if (encodingName.toLowerCase() !== encoding.name) continue;
    return encoding.clockRateHz === clockHz && encoding.channels === channels ? codec : null;
  }
  return null;
}
