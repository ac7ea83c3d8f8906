import type { AudioCodec } from './codecs/audio-codec.ts';
import type { OpusParameters } from './codecs/opus-parameters.ts';
import type { SrtpParameters } from './srtp/srtp-suite.ts';

/** The negotiated parameters of one audio stream: the result of offer and answer (RFC 3264). */
export interface RtpParameters {
  readonly codec: AudioCodec;
  readonly payloadType: number;
  /** Payload type of telephone-events (RFC 4733); null without them. */
  readonly dtmfPayloadType: number | null;
  /**
   * The payload type of the peer's telephone-events, if it differs: each side specifies the number that it receives (RFC
   * 3264 §5.1).
   */
  readonly dtmfReceivePayloadType?: number;
  /** Clock rate of telephone-events. Absent: 8,000. */
  readonly dtmfClockHz?: number;
  /** Audio per packet to the peer, in ms: 10, 20, 30, 40 or 60. Absent: 20. */
  readonly packetMs?: number;
  /** The peer's preferences for our Opus. Absent: the defaults. */
  readonly opus?: OpusParameters;
  /** Whether DTMF digits are also detected in the audio. Absent: only events and SIP INFO. */
  readonly inbandDtmf?: boolean;
  /** Whether RTCP uses the RTP port (RFC 5761). Absent: the next port. */
  readonly rtcpMux?: boolean;
  /** Absent: RTP and RTCP are not encrypted. */
  readonly srtp?: SrtpParameters;
  /** The peer's receiving address in SDP. */
  readonly remoteAddress: string;
  readonly remotePort: number;
  /**
   * Source addresses that may be latched besides `remoteAddress`: the SIP source, if the address in SDP is private or the
   * trunk has `nat`.
   */
  readonly allowedAddresses: readonly string[];
  /**
   * The source is not verified yet: no packet and no report is sent, and queued audio waits. Absent: the source is
   * verified, or is the address of a trunk.
   */
  readonly sourceUnverified?: true;
  /**
   * The peer has not proved that it uses `remoteAddress`: the session sends at most this many ms to addresses from which no
   * packet has come. Then nothing is sent and queued audio waits, until packets come. Absent: no bound.
   */
  readonly unansweredMsMax?: number;
  /** Our direction: `inactive` and `recvonly` send nothing. */
  readonly direction: 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';
}
