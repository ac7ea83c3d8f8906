import type { AudioCodec } from './codecs/audio-codec.ts';
import type { OpusParameters } from './codecs/opus-parameters.ts';
import type { SrtpParameters } from './srtp/srtp-suite.ts';

/** What an offer and its answer agreed on for one audio stream (RFC 3264), in the terms of the media plane. */
export interface RtpParameters {
  readonly codec: AudioCodec;
  readonly payloadType: number;
  /** RFC 4733 payload type, null where the peer takes none. */
  readonly dtmfPayloadType: number | null;
  /** That of the peer's own events, where it is another: each side names the number that it is sent (RFC 3264 §5.1). */
  readonly dtmfReceivePayloadType?: number;
  /** Units in which events count their duration, a second. Absent: 8,000. */
  readonly dtmfClockHz?: number;
  /** How much audio the peer wants in a packet, in ms: 10, 20, 30, 40 or 60. Absent: 20. */
  readonly packetMs?: number;
  /** What the peer wants of our Opus. Absent: what it says by saying nothing. */
  readonly opus?: OpusParameters;
  /** Keys may come as tones in the audio. Absent: only as events and by signalling. */
  readonly inbandDtmf?: boolean;
  /** RTCP comes and goes on the RTP port (RFC 5761). Absent: on the one above. */
  readonly rtcpMux?: boolean;
  /** Absent: RTP and RTCP go plain. */
  readonly srtp?: SrtpParameters;
  /** Where the peer's SDP wants its packets. */
  readonly remoteAddress: string;
  readonly remotePort: number;
  /**
   * Source addresses that packets may be latched to besides `remoteAddress`: the SIP source's, where the SDP's address
   * is private or the trunk says `nat`.
   */
  readonly allowedAddresses: readonly string[];
  /**
   * Nobody has shown yet that the peer is there: nothing leaves, no report either, and what is queued waits. Absent: it is there,
   * or somebody vouches for it.
   */
  readonly sourceUnverified?: true;
  /** Ours, after their answer: `inactive` and `recvonly` send nothing. */
  readonly direction: 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';
}
