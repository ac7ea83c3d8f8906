/** The codecs on the wire. */
export type AudioCodec = 'pcmu' | 'pcma' | 'g722' | 'opus';

/** A codec's parameters in SDP and its clocks. */
export interface CodecTraits {
  /** Of `rtpmap`, as RFC 3551 and RFC 7587 write it. */
  readonly encodingName: string;
  /** Units of RTP time a second; G.722's is half its sample rate, by an old error that stays (RFC 3551 §4.5.2). */
  readonly clockHz: number;
  /** Of `rtpmap`; RFC 7587 §7 asks for 2 whatever is sent. */
  readonly channels: number;
  /** The payload type of our offers: static (RFC 3551 §6), or dynamic. */
  readonly payloadType: number;
  /** Samples a second that we encode and decode. */
  readonly sampleHz: 8000 | 16_000;
}

export const CODEC_TRAITS: Readonly<Record<AudioCodec, CodecTraits>> = {
  pcmu: { encodingName: 'PCMU', clockHz: 8000, channels: 1, payloadType: 0, sampleHz: 8000 },
  pcma: { encodingName: 'PCMA', clockHz: 8000, channels: 1, payloadType: 8, sampleHz: 8000 },
  g722: { encodingName: 'G722', clockHz: 8000, channels: 1, payloadType: 9, sampleHz: 16_000 },
  opus: { encodingName: 'opus', clockHz: 48_000, channels: 2, payloadType: 107, sampleHz: 16_000 },
};

/** Whether the codec carries more than a telephone's 3.4 kHz. */
export function isWideband(codec: AudioCodec): boolean {
  return CODEC_TRAITS[codec].sampleHz === 16_000;
}
