import {
  ALAW_SILENCE,
  decodeAlaw,
  decodeMulaw,
  encodeAlaw,
  encodeMulaw,
  MULAW_SILENCE,
} from '../../../base/audio/g711.ts';
import type { Resamplers } from '../../../base/audio/resampler.ts';
import type { MediaEvent } from '../../../engine/ports/media.ts';
import type { CallRecorder } from '../../recorder/call-recorder.ts';
import { CODEC_TRAITS } from '../../rtp/codecs/audio-codec.ts';
import type { OpusCodecs, SpeechEncoder } from '../../rtp/codecs/opus-codec.ts';
import { createSpeechEncoder } from '../../rtp/codecs/speech-encoder.ts';
import { DtmfSender } from '../../rtp/dtmf/dtmf-sender.ts';
import { DtmfTone } from '../../rtp/dtmf/dtmf-tone.ts';
import { TELEPHONE_EVENT_BYTES } from '../../rtp/dtmf/telephone-event.ts';
import { PacketBuffer } from '../../rtp/packet/packet-buffer.ts';
import { encodeRtpHeader, RTP_HEADER_BYTES } from '../../rtp/packet/rtp-packet.ts';
import type { RtpParameters } from '../../rtp/rtp-parameters.ts';
import type { ReplacementAudio } from '../audio-bridge/audio-relay.ts';
import type { PlayedAudio } from '../detection/echo/played-audio.ts';
import type { UdpSocket } from '../udp/udp-sockets.ts';
import type { WorkerStatistics } from '../worker-channel/worker-statistics.ts';
import { PACKET_INTERVAL_MS } from './pacer.ts';
import type { Playout } from './playout.ts';
import { ReplacementAudioBuffer } from './replacement-audio-buffer.ts';

/** Packet length if the peer requests none. */
export const DEFAULT_PACKET_MS = 20;
/** The longest packet that is sent. */
const PACKET_MS_MAX = 60;
const NARROW_SAMPLES_MAX = PACKET_MS_MAX * 8;
const WIDE_SAMPLES_MAX = PACKET_MS_MAX * 16;
/** The samples of the packet that is being filled. Senders of one thread take turns: shared, this memory stays in the cache. */
const NARROW = new Int16Array(NARROW_SAMPLES_MAX);
const WIDE = new Int16Array(WIDE_SAMPLES_MAX);
const WIDE_BYTES = new Uint8Array(WIDE.buffer);
/** Enough for any codec: 60 ms at 64 kbit/s, the highest rate, are 480 bytes. */
const PAYLOAD_BYTES_MAX = 640;

/** One second: after skipping this number of ticks, a source has no old audio left. */
const SKIPPED_TICKS_MAX = 50;

export interface RtpSenderOptions {
  readonly endpoint: Pick<UdpSocket, 'send'>;
  readonly playout: Playout;
  readonly opus: OpusCodecs;
  readonly resamplers: Resamplers;
  readonly recorder: CallRecorder | null;
  /** Learns what the peer hears, for the detection of its echo. */
  readonly played: PlayedAudio;
  readonly statistics: WorkerStatistics;
  readonly emit: (event: MediaEvent) => void;
  /** 32 random bits. */
  readonly random: () => number;
}

/**
 * Sends our packets: audio from the playout, DTMF events (or tones if the peer supports no events), or silence. Sequence
 * numbers rise by one per packet. Timestamps rise with time, even if nothing is sent. Packets longer or shorter than a
 * tick are filled in the tick in which they are due, so they contain no cleared or paused audio. The packet's bytes are
 * allocated once.
 */
export class RtpSender {
  sent = 0;
  /** Payload bytes sent, modulo 2^32. */
  octets = 0;
  readonly ssrc: number;
  /** RTP timestamp of this tick. */
  timestamp: number;
  #sequence: number;
  /** The first packet after a pause has the marker (RFC 3551 §4.1). */
  #marker = true;
  #encoding: Pick<RtpParameters, 'codec' | 'opus'> = { codec: 'pcmu' };
  #silence = MULAW_SILENCE;
  #encoder: SpeechEncoder | null = null;
  readonly #replacement: ReplacementAudioBuffer;
  #clockPerMs = 8;
  #packetMs = DEFAULT_PACKET_MS;
  /** Audio time that has not been sent yet. */
  #pendingMs = 0;
  readonly #audio = new PacketBuffer(RTP_HEADER_BYTES + PAYLOAD_BYTES_MAX);
  readonly #event = new Uint8Array(RTP_HEADER_BYTES + TELEPHONE_EVENT_BYTES);
  readonly #dtmf = new DtmfSender();
  readonly #tone = new DtmfTone();
  readonly #options: RtpSenderOptions;

  constructor(options: RtpSenderOptions) {
    this.#options = options;
    this.#replacement = new ReplacementAudioBuffer(PACKET_MS_MAX + PACKET_INTERVAL_MS, options.resamplers);
    this.ssrc = options.random();
    this.timestamp = options.random();
    this.#sequence = options.random() & 0xffff;
  }

  configure(parameters: RtpParameters): void {
    const { codec } = parameters;
    this.#packetMs = Math.min(parameters.packetMs ?? DEFAULT_PACKET_MS, PACKET_MS_MAX);
    this.#pendingMs = 0;
    this.#clockPerMs = CODEC_TRAITS[codec].clockHz / 1000;
    this.#dtmf.clockPerMs = (parameters.dtmfClockHz ?? 8000) / 1000;
    this.#silence = codec === 'pcma' ? ALAW_SILENCE : MULAW_SILENCE;
    if (isSameEncoding(parameters, this.#encoding)) return;
    this.#encoding = parameters;
    this.free();
    this.#encoder = createSpeechEncoder(parameters, this.#options.opus);
  }

  /** Sends what is due in this tick. */
  tick(parameters: RtpParameters, isSilenced: boolean): void {
    if (isSilenced || !sends(parameters)) {
      this.skip(1);
      return;
    }
    // Drawn in every tick, even if nothing is sent: the source's time advances.
    this.#replacement.draw(this.#pendingMs * 8);
    this.#pendingMs += PACKET_INTERVAL_MS;
    if (!this.#dtmf.busy) this.#sendPending(parameters, true);
    else if (this.#dtmf.next(this.timestamp) && parameters.dtmfPayloadType !== null) {
      this.#sendEvent(parameters.dtmfPayloadType);
      this.#silent(this.#pendingMs);
      this.#pendingMs = 0;
    } else this.#sendPending(parameters, false);
    this.timestamp = (this.timestamp + PACKET_INTERVAL_MS * this.#clockPerMs) >>> 0;
  }

  /**
   * Skips ticks: time advances, nothing is sent, and the queue waits. Ticks that a longer packet has collected stay in it:
   * without them a packet could miss a whole DTMF tone.
   */
  skip(ticks: number): void {
    this.#marker = true;
    this.timestamp = (this.timestamp + ticks * PACKET_INTERVAL_MS * this.#clockPerMs) >>> 0;
    this.#silent(ticks * PACKET_INTERVAL_MS);
    const collected = this.#pendingMs * 8;
    for (let i = Math.min(ticks, SKIPPED_TICKS_MAX); i > 0; i--) this.#replacement.draw(collected);
  }

  /** Converts units of our timestamps to ms. */
  msOf(units: number): number {
    return units / this.#clockPerMs;
  }

  /** Digits beyond the bound of the queue (64) are dropped. */
  sendDtmf(digits: string): void {
    this.#dtmf.start(digits);
  }

  /** Sends the source's audio instead of the agent's from the next tick on; the agent's audio waits. Null ends that. */
  playFrom(source: ReplacementAudio | null): void {
    this.#replacement.setSource(source);
  }

  /** Frees memory outside the JavaScript heap. */
  free(): void {
    this.#encoder?.free();
    this.#encoder = null;
    this.#replacement.free();
  }

  #sendPending(parameters: RtpParameters, played: boolean): void {
    while (this.#pendingMs >= this.#packetMs) {
      const timestamp = (this.timestamp + (PACKET_INTERVAL_MS - this.#pendingMs) * this.#clockPerMs) >>> 0;
      this.#pendingMs -= this.#packetMs;
      const encoder = this.#encoder;
      const length = encoder === null ? this.#fillCodes(played) : this.#fillEncoded(encoder, played);
      this.#replacement.shift(this.#packetMs * 8);
      if (length > 0) this.#sendPacket(parameters.payloadType, timestamp, length);
      else this.#marker = true;
      if (played) this.#options.playout.emitMarks(this.#options.emit);
    }
  }

  /** G.711: the playout writes the payload itself. */
  #fillCodes(played: boolean): number {
    const { bytes } = this.#audio;
    const needed = this.#packetMs * 8;
    const filled = played ? this.#playedCodes(needed) : this.#toneCodes(needed);
    bytes.fill(this.#silence, RTP_HEADER_BYTES + filled, RTP_HEADER_BYTES + needed);
    if (filled === 0) this.#silent(this.#packetMs);
    else this.#sounded(needed);
    return needed;
  }

  /** The packet's G.711 holds this number of samples of sound. */
  #sounded(samples: number): void {
    const decode = this.#encoding.codec === 'pcma' ? decodeAlaw : decodeMulaw;
    decode(this.#audio.bytes, RTP_HEADER_BYTES, samples, NARROW);
    this.#options.recorder?.agent(NARROW, samples);
    this.#options.played.agent(NARROW, samples);
  }

  #fillEncoded(encoder: SpeechEncoder, played: boolean): number {
    const packetMs = this.#packetMs;
    const needed = packetMs * 16;
    const filled = played ? this.#playedWide(needed) : this.#toneSamples(needed, 16_000);
    WIDE.fill(0, filled, needed);
    this.#options.recorder?.agentWide(WIDE, needed);
    this.#options.played.agentWide(WIDE, needed);
    return encoder.encode(WIDE, needed, this.#audio.bytes, RTP_HEADER_BYTES);
  }

  #silent(durationMs: number): void {
    this.#options.recorder?.agentSilent(durationMs);
    this.#options.played.agentSilent(durationMs);
  }

  #playedCodes(needed: number): number {
    const audio = this.#audio;
    const replacement = this.#replacement;
    return replacement.isActive
      ? this.#encodeCodes(replacement.samples, needed)
      : this.#played(audio.bytes, RTP_HEADER_BYTES, needed);
  }

  #playedWide(needed: number): number {
    return this.#replacement.isActive ? this.#replacement.widen(WIDE, needed) : this.#played(WIDE_BYTES, 0, needed);
  }

  #toneCodes(needed: number): number {
    return this.#encodeCodes(WIDE, this.#toneSamples(needed, 8_000));
  }

  /** Fills the tone of the current DTMF digit, for a peer without telephone-events. */
  #toneSamples(needed: number, rateHz: number): number {
    const event = this.#dtmf.sounding;
    if (event === null) return 0;
    this.#tone.fill(event, WIDE, needed, rateHz);
    return needed;
  }

  #encodeCodes(samples: Int16Array, count: number): number {
    const encode = this.#encoding.codec === 'pcma' ? encodeAlaw : encodeMulaw;
    encode(samples, 0, count, this.#audio.bytes, RTP_HEADER_BYTES);
    return count;
  }

  #played(into: Uint8Array, at: number, needed: number): number {
    const { playout, statistics } = this.#options;
    const filled = playout.fill(into, at, needed);
    if (filled < needed && playout.isStarving) statistics.countUnderruns(1);
    return filled;
  }

  #sendPacket(payloadType: number, timestamp: number, length: number): void {
    encodeRtpHeader(this.#audio.bytes, payloadType, this.#marker, this.#sequence, timestamp, this.ssrc);
    this.#count(length);
    this.#options.endpoint.send(this.#audio.view(RTP_HEADER_BYTES + length));
  }

  #sendEvent(payloadType: number): void {
    const dtmf = this.#dtmf;
    const event = this.#event;
    encodeRtpHeader(event, payloadType, dtmf.marker, this.#sequence, dtmf.timestamp, this.ssrc);
    event.set(dtmf.payload, RTP_HEADER_BYTES);
    this.#count(TELEPHONE_EVENT_BYTES);
    this.#options.endpoint.send(event);
  }

  /** Counts before the packet is sent, so that the peer never has an uncounted packet. */
  #count(length: number): void {
    this.#marker = false;
    this.sent++;
    this.octets = (this.octets + length) >>> 0;
    this.#options.statistics.countSent(1);
    this.#sequence = (this.#sequence + 1) & 0xffff;
  }
}

/** If the encoding is unchanged, the encoder is kept. */
function isSameEncoding(
  next: Pick<RtpParameters, 'codec' | 'opus'>,
  current: Pick<RtpParameters, 'codec' | 'opus'>,
): boolean {
  return (
    next.codec === current.codec &&
    next.opus?.fec === current.opus?.fec &&
    next.opus?.dtx === current.opus?.dtx &&
    next.opus?.maxPlaybackHz === current.opus?.maxPlaybackHz &&
    next.opus?.maxBitrate === current.opus?.maxBitrate
  );
}

function sends(parameters: RtpParameters): boolean {
  return parameters.direction === 'sendrecv' || parameters.direction === 'sendonly';
}
