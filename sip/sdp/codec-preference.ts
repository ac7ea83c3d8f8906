import { type AudioCodec, CODEC_TRAITS } from '../rtp/codecs/audio-codec.ts';

/** Groups of codecs, the best first; within a group the peer's order decides. Codecs in no group are not used. */
export type CodecPreference = readonly (readonly AudioCodec[])[];

/**
 * Our preference when we answer an offer and the trunk has no list of codecs. Wideband comes first, for better recognition and voice.
 * G.722 precedes Opus, since it needs less than half of the CPU time. Between PCMU and PCMA the peer decides.
 */
export const ANSWERED_CODECS: CodecPreference = [['g722'], ['opus'], ['pcmu', 'pcma']];

/**
 * Our offer if the trunk has no list of codecs. Most callees choose the first codec, and G.711 needs no conversion. With
 * wideband in the offer, the audio of most calls would be converted without a benefit.
 */
export const OFFERED_CODECS: readonly AudioCodec[] = ['pcmu', 'pcma'];

/** All supported codecs, in the peer's order. */
export const ANY_CODEC: CodecPreference = [['pcmu', 'pcma', 'g722', 'opus']];

/** A trunk's list as a strict order. */
export function strictPreference(codecs: readonly AudioCodec[]): CodecPreference {
  return codecs.map((codec) => [codec]);
}

/** The codec of an `rtpmap`, by name (in lower case), clock rate and channels; null for an unsupported codec. */
export function codecOfEncoding(encoding: { name: string; clockRateHz: number; channels: number }): AudioCodec | null {
  for (const codec of ['pcmu', 'pcma', 'g722', 'opus'] as const) {
    const { encodingName, clockHz, channels } = CODEC_TRAITS[codec];
    if (encodingName.toLowerCase() !== encoding.name) continue;
    return encoding.clockRateHz === clockHz && encoding.channels === channels ? codec : null;
  }
  return null;
}
