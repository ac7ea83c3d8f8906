/** The codecs of RTP payloads. */
export type AudioCodec = 'pcmu' | 'pcma' | 'g722' | 'opus';

/** A codec's parameters in SDP and its clocks. */
export interface CodecTraits {
  /** Encoding name in `rtpmap` (RFC 3551, RFC 7587). */
  readonly encodingName: string;
  /** Units of RTP time per second. For G.722 half of the sample rate, for historical reasons (RFC 3551 §4.5.2). */
  readonly clockHz: number;
  /** Channels in `rtpmap`. RFC 7587 §7 requires 2 for Opus, even for mono. */
  readonly channels: number;
  /** The payload type in our offers: static (RFC 3551 §6) or dynamic. */
  readonly payloadType: number;
  /** Sample rate of our encoder and decoder. */
  readonly sampleHz: 8000 | 16_000;
}

export const CODEC_TRAITS: Readonly<Record<AudioCodec, CodecTraits>> = {
  pcmu: { encodingName: 'PCMU', clockHz: 8000, channels: 1, payloadType: 0, sampleHz: 8000 },
  pcma: { encodingName: 'PCMA', clockHz: 8000, channels: 1, payloadType: 8, sampleHz: 8000 },
  g722: { encodingName: 'G722', clockHz: 8000, channels: 1, payloadType: 9, sampleHz: 16_000 },
  opus: { encodingName: 'opus', clockHz: 48_000, channels: 2, payloadType: 107, sampleHz: 16_000 },
};

/** Whether the codec's bandwidth exceeds the 3.4 kHz of a telephone. */
export function isWideband(codec: AudioCodec): boolean {
  return CODEC_TRAITS[codec].sampleHz === 16_000;
}
