import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import { type AudioCodec, isWideband } from '../../rtp/codecs/audio-codec.ts';
import type { RtpParameters } from '../../rtp/rtp-parameters.ts';
import type { RtpMediaSession } from '../media-service.ts';
import { type MediaQuality, readQuality } from '../quality/media-quality.ts';
import { QualityIntervals } from '../quality/quality-intervals.ts';
import type { SourceVerification } from '../source-verification.ts';
import type { PlaybackSource, SessionTransport } from '../worker-channel/media-worker-messages.ts';
import { ALAW_8K, LINEAR16_16K, MULAW_8K } from './peer-audio-reader.ts';
import { SessionHandle, type SessionHandleOptions } from './session-handle.ts';

/** The main thread's handle of a phone call's media session. */
export class RtpSessionHandle extends SessionHandle implements RtpMediaSession {
  port = 0;
  #parameters: RtpParameters | null = null;
  #source: PlaybackSource = 'agent';
  #onSourceVerification: (result: SourceVerification) => void = () => {};
  #onCaptured: ((records: Uint8Array) => void) | null = null;
  #capturedAs: string | null = null;
  readonly #intervals: QualityIntervals;

  constructor(options: SessionHandleOptions, codec: AudioCodec) {
    super(options, formatOf(codec));
    this.#intervals = new QualityIntervals(this.memory.quality);
  }

  get quality(): MediaQuality | null {
    return readQuality(this.memory.quality);
  }

  qualityInterval(): MediaQuality | null {
    return this.#intervals.next();
  }

  configure(parameters: RtpParameters): void {
    this.#parameters = parameters;
    this.post({ type: 'configure', ...this.key, parameters });
  }

  onSourceVerification(listener: (result: SourceVerification) => void): void {
    this.#onSourceVerification = listener;
  }

  setPlaybackSource(source: 'agent' | 'ringback' | RtpMediaSession): void {
    if (typeof source === 'string') this.#source = source;
    else if (source instanceof RtpSessionHandle) this.#source = source.key;
    else throw new TypeError('a session of another media service cannot be bridged');
    this.post({ type: 'playback_source', ...this.key, source: this.#source });
  }

  receiveInfoDtmf(digit: string, durationMs: number): void {
    this.post({ type: 'info_dtmf', ...this.key, digit, durationMs });
  }

  capture(localAddress: string | null, onRecords: (records: Uint8Array) => void): void {
    this.#onCaptured = onRecords;
    this.#capturedAs = localAddress;
    this.post({ type: 'capture', ...this.key, localAddress });
  }

  /** The worker's report about the source. */
  sourceVerification(result: SourceVerification): void {
    this.#onSourceVerification(result);
  }

  /** The worker captured packets. */
  captured(records: Uint8Array): void {
    this.#onCaptured?.(records);
  }

  protected override get transport(): SessionTransport {
    return { type: 'rtp', port: this.port };
  }

  protected override restoreTransport(): void {
    if (this.#parameters !== null) this.post({ type: 'configure', ...this.key, parameters: this.#parameters });
    if (this.#source !== 'agent') this.post({ type: 'playback_source', ...this.key, source: this.#source });
    if (this.#capturedAs !== null) this.post({ type: 'capture', ...this.key, localAddress: this.#capturedAs });
  }
}

function formatOf(codec: AudioCodec): AudioFormat {
  if (isWideband(codec)) return LINEAR16_16K;
  return codec === 'pcma' ? ALAW_8K : MULAW_8K;
}
