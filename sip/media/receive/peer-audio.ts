import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import { decodeAlaw, decodeMulaw, encodeAlaw, encodeMulaw } from '../../../base/audio/g711.ts';
import type { Resamplers } from '../../../base/audio/resampler.ts';
import { Upsampler } from '../../../base/audio/upsampler.ts';
import type { CallRecorder } from '../../recorder/call-recorder.ts';
import { type AudioCodec, CODEC_TRAITS } from '../../rtp/codecs/audio-codec.ts';
import { G722_SAMPLES_PER_OCTET, G722Decoder } from '../../rtp/codecs/g722/g722.ts';
import { HalfRate } from '../../rtp/codecs/half-rate.ts';
import type { OpusCodecs, OpusDecoder } from '../../rtp/codecs/opus-codec.ts';
import { Concealment } from '../../rtp/jitter-buffer/concealment.ts';
import { timestampDistance } from '../../rtp/packet/sequence-arithmetic.ts';
import { RTP_PAYLOAD_BYTES_MAX } from '../../rtp/reception/reorder-window.ts';
import type { AudioRelay } from '../audio-bridge/audio-relay.ts';
import { CODEC_LINEAR16, codecOf, createAudioFrame } from '../worker-channel/audio-frame.ts';
import type { SessionMemory } from '../worker-channel/session-memory.ts';
import type { WorkerStatistics } from '../worker-channel/worker-statistics.ts';
import { CleanAudio } from './clean-audio.ts';
import type { CreateNoiseSuppressor } from './noise-suppressor.ts';

const NARROWBAND_HZ = 8000;
/**
 * After this time of silence, audio is gathered into larger pieces until the peer speaks again. This saves the main
 * thread and the transcriber's socket four of five frames. Longer than any pause after which a provider detects the end
 * of a turn or utterance.
 */
const SILENT_MS = 1_000;
/**
 * The same while the agent is heard: the user's turn is decided. Longer than a pause within a word; a user who interrupts is heard at
 * once, and the agent then pauses.
 */
const SILENT_UNDER_AGENT_MS = 300;
/** Length of a gathered piece. */
const GATHERED_MS = 100;
const WIDEBAND_HZ = 16_000;
/**
 * Gaps up to this length are filled; they take at most half of the ring buffer. After a longer gap, the engine measures the
 * delay of the audio again.
 */
const FILLED_MS_MAX = 1_000;
/** Samples that are filled at once: 20 ms at 8 kHz. */
const FILLED_PIECE = 160;
/** Maximum of consecutive lost Opus packets that are recovered: 60 ms. For more, libopus returns noise or silence. */
const RECOVERED_PACKETS_MAX = 3;
/** Units of the Opus clock, 48 kHz (RFC 7587 §4.1), for each sample at 16 kHz. */
const OPUS_CLOCKS_PER_SAMPLE = 3;
/** The longest packet, a G.722 one that fills a datagram, as samples at 16 kHz. */
const WIDE_SAMPLES_MAX = RTP_PAYLOAD_BYTES_MAX * G722_SAMPLES_PER_OCTET;

/** Noise suppression holds back up to this, in samples at 8 kHz: 40 ms. */
const HELD_SAMPLES_MAX = 320;

/** The samples of the packet that is being taken. Sessions of one thread take turns, so they share this memory: it stays in the cache. */
const NARROW = new Int16Array(RTP_PAYLOAD_BYTES_MAX + HELD_SAMPLES_MAX);
const WIDE = new Int16Array(WIDE_SAMPLES_MAX + 2 * HELD_SAMPLES_MAX);
const WIDE_BYTES = new Uint8Array(WIDE.buffer);
const CODES = new Uint8Array(RTP_PAYLOAD_BYTES_MAX + HELD_SAMPLES_MAX);

export interface PeerAudioOptions {
  readonly memory: SessionMemory;
  readonly slot: number;
  readonly generation: number;
  /** The format of the session's audio: G.711, or linear16 at 16 kHz. */
  readonly format: AudioFormat;
  readonly resamplers: Resamplers;
  readonly opus: OpusCodecs;
  readonly recorder: CallRecorder | null;
  readonly statistics: WorkerStatistics;
  /** The ring buffer has audio for the main thread. */
  readonly ready: () => void;
  /** Passes the next `length` samples, at 8 kHz, to the detection of tones and digits. */
  readonly hear: (samples: Int16Array, length: number) => void;
  /** Passes the next `length` samples, at 8 kHz and without noise if that is suppressed, to voice activity. */
  readonly hearSpeech: (samples: Int16Array, length: number) => void;
  /** A gap that is too long to be filled precedes the next samples: `samples` at 8 kHz are missing. */
  readonly skipSpeech: (samples: number) => void;
  /** Time since the last voice in the samples passed to `hearSpeech`. */
  readonly silentMs: () => number;
  /** The peer hears the agent. */
  readonly isAgentHeard: () => boolean;
}

/**
 * Decodes the peer's audio payloads, in order. A gap in the timestamps (loss, silence suppression, a telephone event) is
 * filled for the main thread and for voice activity, so that the position in their audio advances as RTP time does. The
 * recording and the bridge place audio by its time and fill gaps themselves. The main thread receives the audio in the
 * session's format; voice activity, recording and bridge at 8 kHz; a wideband bridge at 16 kHz. A G.711 session receives
 * G.711 undecoded. Allocates nothing per packet.
 */
export class PeerAudio {
  /** The bridge to the other peer. At 16 kHz only while the peer's codec is wideband. */
  relay: AudioRelay | null = null;
  readonly #options: PeerAudioOptions;
  readonly #frame = createAudioFrame();
  readonly #half = new HalfRate();
  /** A sample of the audio without noise. */
  readonly #cleanHalf = new HalfRate();
  readonly #upsampler: Upsampler;
  #codec: AudioCodec = 'pcmu';
  #clockPerSample = 1;
  #g722 = new G722Decoder();
  #opus: OpusDecoder | null = null;
  /** Samples of the last Opus packet: the assumed length of a lost packet. */
  #opusSamples = 0;
  /** The stream's time in samples at 8 kHz, as for the recording. */
  #time = 0;
  #lastTimestamp = 0;
  /**
   * The timestamp after the last sample, in units of the codec's clock. Never null: in a field that may be null, V8
   * allocates each large number.
   */
  #nextTimestamp = 0;
  /** False before the first packet of a stream. */
  #hasNextTimestamp = false;
  #concealment = new Concealment(NARROWBAND_HZ);
  readonly #clean = new CleanAudio();
  /** Audio in the ring buffer for which the main thread was not woken yet. */
  #gatheredMs = 0;

  constructor(options: PeerAudioOptions) {
    this.#options = options;
    this.#upsampler = new Upsampler(options.resamplers);
    this.#frame.slot = options.slot;
    this.#frame.generation = options.generation;
  }

  configure(codec: AudioCodec): void {
    if (codec === this.#codec) return;
    const cleanRateHz = CODEC_TRAITS[this.#codec].sampleHz;
    if (CODEC_TRAITS[codec].sampleHz !== cleanRateHz) this.#drainClean(cleanRateHz);
    this.#codec = codec;
    this.#clockPerSample = CODEC_TRAITS[codec].clockHz / NARROWBAND_HZ;
    this.#concealment = new Concealment(CODEC_TRAITS[codec].sampleHz);
    this.restart();
  }

  /** The peer's stream restarted: drops all decoder state. */
  restart(): void {
    this.#g722 = new G722Decoder();
    this.#half.reset();
    this.#hasNextTimestamp = false;
    this.relay?.restart();
    this.#freeCodecs();
  }

  /** Suppresses noise for voice activity and the main thread from now on. `failed`: it ended with this error. */
  suppressNoise(create: CreateNoiseSuppressor, failed: (error: unknown) => void): void {
    this.#clean.start(create, failed);
  }

  /** Takes one payload, `length` bytes at the start of `payload`, after `lostBefore` lost packets. */
  take(payload: Uint8Array, length: number, timestamp: number, lostBefore: number): void {
    const time = this.#timeOf(timestamp);
    if (this.#codec === 'opus') this.#takeOpus(payload, length, time, timestamp, lostBefore);
    else {
      this.#passGap(this.#gapBefore(timestamp), 0, lostBefore > 0);
      if (this.#codec === 'g722') this.#takeG722(payload, length, time);
      else this.#takeG711(this.#codec, payload, length, time);
      this.#endAt(timestamp + length);
    }
  }

  /**
   * Takes linear16 at 16 kHz, as a web call sends it: `length` bytes at the start of `audio`, at most one packet.
   * `timestamp` counts samples.
   */
  takeLinear16(audio: Uint8Array, length: number, timestamp: number): void {
    for (let i = 0; i < length; i++) WIDE_BYTES[i] = audio[i] ?? 0;
    this.#takeWide(length >> 1, timestamp >>> 1);
  }

  /** Takes a comfort noise packet: noise from `timestamp` on, `level` dB below full scale. */
  takeComfortNoise(timestamp: number, level: number): void {
    const time = this.#timeOf(timestamp);
    this.#options.recorder?.peerComfortNoise(time, level);
    this.relay?.pushComfortNoise(time, level);
  }

  /** The stream paused: wakes the main thread for the gathered audio. */
  flush(): void {
    if (this.#gatheredMs === 0) return;
    this.#gatheredMs = 0;
    this.#options.ready();
  }

  /** Frees memory outside the JavaScript heap; the object stays usable. */
  free(): void {
    this.#freeCodecs();
    this.#clean.free();
  }

  #freeCodecs(): void {
    this.#upsampler.free();
    this.#opus?.free();
    this.#opus = null;
    this.#opusSamples = 0;
  }

  #takeG711(codec: 'pcmu' | 'pcma', payload: Uint8Array, length: number, time: number): void {
    if (codec === 'pcmu') decodeMulaw(payload, 0, length, NARROW);
    else decodeAlaw(payload, 0, length, NARROW);
    this.#concealment.remember(NARROW, 0, length);
    this.#takeNarrow(time, length);
    if (this.#clean.isOn) this.#passNarrow(length);
    else {
      this.#options.hearSpeech(NARROW, length);
      if (this.#options.format.encoding === 'linear16') this.#pushUpsampled(length);
      else this.#push(payload, length, codecOf(codec === 'pcmu' ? 'mulaw' : 'alaw'));
    }
  }

  #takeG722(payload: Uint8Array, length: number, time: number): void {
    this.#g722.decode(payload, 0, length, WIDE);
    this.#concealment.remember(WIDE, 0, length * G722_SAMPLES_PER_OCTET);
    this.#takeWide(length * G722_SAMPLES_PER_OCTET, time);
  }

  /** Lost packets first: the last one is recovered from the redundancy in this packet, earlier ones are concealed. */
  #takeOpus(payload: Uint8Array, length: number, time: number, timestamp: number, lostBefore: number): void {
    this.#opus ??= this.#options.opus.createDecoder();
    const opus = this.#opus;
    const opusSamples = this.#opusSamples;
    const gap = this.#gapBefore(timestamp);
    const packetClocks = opusSamples * OPUS_CLOCKS_PER_SAMPLE;
    const lost = opusSamples === 0 ? 0 : Math.min(lostBefore, RECOVERED_PACKETS_MAX);
    this.#passGap(gap, lost * packetClocks, lostBefore > 0);
    for (let before = lost; before > 0; before--) {
      const made = opus.recover(payload, before === 1 ? length : 0, opusSamples, WIDE);
      // `time` counts samples at 8 kHz, `opusSamples` at 16 kHz.
      const madeTime = (time - (before * opusSamples) / 2) >>> 0;
      this.#takeWide(made, madeTime);
    }
    const made = opus.decode(payload, length, WIDE);
    if (made > 0) this.#opusSamples = made;
    this.#concealment.remember(WIDE, 0, made);
    this.#takeWide(made, time);
    this.#endAt(timestamp + made * OPUS_CLOCKS_PER_SAMPLE);
  }

  #endAt(timestamp: number): void {
    this.#nextTimestamp = timestamp >>> 0;
    this.#hasNextTimestamp = true;
  }

  /** The length of the gap between the last sample and `timestamp`, in units of the codec's clock. */
  #gapBefore(timestamp: number): number {
    return this.#hasNextTimestamp ? timestampDistance(timestamp, this.#nextTimestamp) : 0;
  }

  /** Fills or skips a gap, except its end that is recovered. Both lengths are in units of the codec's clock. */
  #passGap(gap: number, recovered: number, isLoss: boolean): void {
    const isFilled = gap * 1_000 <= FILLED_MS_MAX * CODEC_TRAITS[this.#codec].clockHz;
    if (isFilled) this.#fillGap(gap - recovered, isLoss);
    else this.#options.skipSpeech(Math.floor((gap - recovered) / this.#clockPerSample));
  }

  /** Fills `gap` units of the codec's clock: lost audio is concealed, suppressed audio is silence. */
  #fillGap(gap: number, isLoss: boolean): void {
    const isWide = CODEC_TRAITS[this.#codec].sampleHz === WIDEBAND_HZ;
    const narrowGap = Math.floor(gap / this.#clockPerSample);
    for (let left = narrowGap; left > 0; left -= FILLED_PIECE) {
      const count = Math.min(left, FILLED_PIECE);
      const samples = isWide ? WIDE : NARROW;
      const length = isWide ? 2 * count : count;
      if (isLoss) this.#concealment.conceal(samples, 0, length);
      else samples.fill(0, 0, length);
      if (isWide) this.#half.halve(samples, 0, length, NARROW);
      this.#options.hear(NARROW, count);
      if (isWide) this.#passWide(length, count);
      else this.#passNarrow(count);
    }
  }

  /** Takes the first `count` samples of `wide`. */
  #takeWide(count: number, time: number): void {
    if (count === 0) return;
    const narrowCount = this.#half.halve(WIDE, 0, count, NARROW);
    this.#takeNarrow(time, narrowCount);
    if (this.relay?.rateHz === WIDEBAND_HZ) this.relay.push(time, WIDE, count);
    this.#passWide(count, narrowCount);
  }

  #takeNarrow(time: number, count: number): void {
    this.#options.hear(NARROW, count);
    this.#options.recorder?.peerAudio(time, NARROW, count);
    if (this.relay?.rateHz === NARROWBAND_HZ) this.relay.push(time, NARROW, count);
  }

  /** Passes the first `count` samples of `narrow` to voice activity and the main thread, without noise if that is suppressed. */
  #passNarrow(count: number): void {
    const clean = this.#clean.clean(NARROW, count, NARROWBAND_HZ);
    if (clean === 0) return;
    this.#options.hearSpeech(NARROW, clean);
    this.#pushNarrow(clean);
  }

  /** The same for the first `count` samples of `wide`, of which `narrow` holds `narrowCount` at half the rate. */
  #passWide(count: number, narrowCount: number): void {
    if (!this.#clean.isOn) this.#passCleanWide(count, narrowCount);
    else this.#passCleaned(this.#clean.clean(WIDE, count, WIDEBAND_HZ));
  }

  #passCleaned(count: number): void {
    if (count > 0) this.#passCleanWide(count, this.#cleanHalf.halve(WIDE, 0, count, NARROW));
  }

  #passCleanWide(count: number, narrowCount: number): void {
    this.#options.hearSpeech(NARROW, narrowCount);
    this.#pushWide(count, narrowCount);
  }

  /** The samples that noise suppression holds at this rate go out. */
  #drainClean(rateHz: number): void {
    if (rateHz === WIDEBAND_HZ) this.#passCleaned(this.#clean.drain(WIDE));
    else {
      const count = this.#clean.drain(NARROW);
      if (count === 0) return;
      this.#options.hearSpeech(NARROW, count);
      this.#pushNarrow(count);
    }
  }

  /** Pushes the first `count` samples of `narrow`. */
  #pushNarrow(count: number): void {
    const { encoding } = this.#options.format;
    if (encoding === 'linear16') {
      this.#pushUpsampled(count);
      return;
    }
    if (encoding === 'mulaw') encodeMulaw(NARROW, 0, count, CODES);
    else encodeAlaw(NARROW, 0, count, CODES);
    this.#push(CODES, count, codecOf(encoding));
  }

  /** @param count samples of `wide`, of which `narrow` holds `narrowCount` at half the rate */
  #pushWide(count: number, narrowCount: number): void {
    const { encoding } = this.#options.format;
    if (encoding === 'linear16') {
      this.#push(WIDE_BYTES, count * 2, CODEC_LINEAR16);
      return;
    }
    this.#pushNarrow(narrowCount);
  }

  /** Pushes the first `count` samples of `narrow` at 16 kHz. */
  #pushUpsampled(count: number): void {
    const made = this.#upsampler.upsample(NARROW, count, WIDE);
    if (made > 0) this.#push(WIDE_BYTES, made * 2, CODEC_LINEAR16);
  }

  #push(bytes: Uint8Array, length: number, codec: number): void {
    const frame = this.#frame;
    const options = this.#options;
    frame.codec = codec;
    frame.rateHz = codec === CODEC_LINEAR16 ? WIDEBAND_HZ : NARROWBAND_HZ;
    frame.length = length;
    options.statistics.countDropped(options.memory.peerAudio.pushOverOldest(frame, bytes, 0));
    this.#gatheredMs += (1000 * length) / (codec === CODEC_LINEAR16 ? 2 * WIDEBAND_HZ : NARROWBAND_HZ);
    const silentMs = options.isAgentHeard() ? SILENT_UNDER_AGENT_MS : SILENT_MS;
    if (options.silentMs() < silentMs || this.#gatheredMs >= GATHERED_MS) this.flush();
  }

  #timeOf(timestamp: number): number {
    if (this.#clockPerSample === 1) this.#time = timestamp;
    else {
      const passed = Math.round(timestampDistance(timestamp, this.#lastTimestamp) / this.#clockPerSample);
      this.#time = (this.#time + passed) >>> 0;
    }
    this.#lastTimestamp = timestamp;
    return this.#time;
  }
}
