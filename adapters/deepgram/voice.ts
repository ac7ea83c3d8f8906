import type { ProviderError } from '../../engine/ports/provider-error.ts';
import type { Voice, VoiceEvent, VoiceOptions, VoiceStream } from '../../engine/ports/voice.ts';
import { WholeSamples } from '../audio/whole-samples.ts';
import { SegmentQueue, VOICE_DEADLINES, type VoiceDeadlines } from '../segmented-voice/segment-queue.ts';
import { createSpeechText, type SpeechText } from '../text-normalisation/speech-text.ts';
import { SpeakConnection } from './aura-speak-connection.ts';
import { speakQuery } from './aura-speak-query.ts';
import { FluxSpeakSource } from './flux-speak.ts';
import { fluxSpeakQuery, isFluxVoice } from './flux-speak-query.ts';
import { CONNECTION, type CreateConnection, type DeepgramAccess } from './socket.ts';

/**
 * With this many segments or fewer left in the provider's window, a spare socket is dialled, so that it opens in
 * time.
 */
const DIAL_SPARE_AT_SEGMENTS_LEFT = 3;

/**
 * Deepgram's speak v1 (Aura) as a voice: one WebSocket per call, opened in advance. A second socket takes over only if the
 * first one is closed or has used up the provider's flushes for the minute. A voice named `flux-…` uses v2. No word
 * times.
 */
export function createDeepgramVoice(access: DeepgramAccess, deadlines: VoiceDeadlines = VOICE_DEADLINES): Voice {
  return {
    open: (options, emit) =>
      isFluxVoice(options)
        ? new SegmentQueue({
            provider: 'deepgram',
            source: new FluxSpeakSource(access, fluxConnection(options), options.format, deadlines.firstAudioMs),
            deadlines,
            prepare: speechTextFor(options),
            emit,
          })
        : new SpeakStream(access, options, deadlines, emit),
  };
}

function fluxConnection(options: VoiceOptions): CreateConnection {
  const connection = { ...CONNECTION, ...fluxSpeakQuery(options) };
  return ({ speak }) => speak.v2.createConnection(connection);
}

/** The provider normalises numbers in the text itself. */
function speechTextFor({ language, pronunciations = [] }: VoiceOptions) {
  return createSpeechText({ language, voiceNormalisesText: true, pronunciations });
}

interface Waiting {
  readonly segment: number;
  readonly text: string;
}

class SpeakStream implements VoiceStream {
  readonly #options: VoiceOptions;
  readonly #dial: () => SpeakConnection;
  readonly #wholeSamples: WholeSamples;
  readonly #prepare: (text: string) => SpeechText;
  #emit: ((event: VoiceEvent) => void) | undefined;
  #connection: SpeakConnection;
  #spare: SpeakConnection | undefined;
  /**
   * Segments not yet sent to a connection. Each leaves as soon as the current connection may take it. Bounded by the
   * sentences of the current reply.
   */
  #waiting: Waiting[] = [];
  /** A segment without sound is ending; the segments after it wait. */
  #silentEnd: NodeJS.Immediate | undefined;
  /** Segments whose failure is being emitted; a `cancel` inside an event withdraws the rest. */
  #failing: number[] = [];

  constructor(
    access: DeepgramAccess,
    options: VoiceOptions,
    deadlines: VoiceDeadlines,
    emit: (event: VoiceEvent) => void,
  ) {
    this.#options = options;
    this.#emit = emit;
    this.#wholeSamples = new WholeSamples(options.format);
    this.#prepare = speechTextFor(options);
    const connection = { ...CONNECTION, ...speakQuery(options) };
    this.#dial = () =>
      new SpeakConnection(access, ({ speak }) => speak.v1.createConnection(connection), deadlines, {
        onAudio: (segment, audio) => this.#audio(segment, audio),
        onDone: (segment) => this.#done(segment),
        onLost: (segments, error) => this.#lost(segments, error),
      });
    this.#connection = this.#dial();
  }

  speak(segment: number, text: string): void {
    if (this.#emit === undefined) return;
    this.#waiting.push({ segment, text: this.#prepare(text).spoken });
    this.#pump();
  }

  cancel(): void {
    this.#waiting = [];
    this.#failing = [];
    this.#cancelSilentEnd();
    this.#wholeSamples.reset();
    this.#connection.cancel();
  }

  close(): void {
    if (this.#emit === undefined) return;
    this.#emit = undefined;
    this.#waiting = [];
    this.#cancelSilentEnd();
    this.#connection.close();
    this.#spare?.close();
  }

  /** Segments never interleave: another connection takes over only when the current one has no pending segment. */
  #pump(): void {
    for (let next = this.#waiting[0]; next !== undefined && this.#silentEnd === undefined; next = this.#waiting[0]) {
      if (next.text === '') {
        if (this.#connection.isIdle) this.#endSilently(next.segment);
        return;
      }
      if (this.#connection.isGone || this.#connection.segmentsLeft === 0) {
        if (!this.#connection.isIdle) return;
        this.#takeOver();
      }
      this.#waiting.shift();
      this.#connection.speak(next.segment, next.text);
    }
    if (this.#connection.segmentsLeft <= DIAL_SPARE_AT_SEGMENTS_LEFT && (this.#spare?.isGone ?? true)) {
      this.#spare = this.#dial();
    }
  }

  /** For a text without sound the provider would send a warning and no end. */
  #endSilently(segment: number): void {
    this.#waiting.shift();
    this.#silentEnd = setImmediate(() => {
      this.#silentEnd = undefined;
      this.#done(segment);
    });
  }

  #cancelSilentEnd(): void {
    clearImmediate(this.#silentEnd);
    this.#silentEnd = undefined;
  }

  #takeOver(): void {
    const spare = this.#spare;
    this.#spare = undefined;
    if (!this.#connection.isGone) this.#connection.close();
    this.#connection = spare === undefined || spare.isGone ? this.#dial() : spare;
  }

  #audio(segment: number, bytes: Uint8Array): void {
    const audio = this.#wholeSamples.take(bytes);
    if (audio.length > 0) this.#emit?.({ type: 'audio', segment, format: this.#options.format, audio });
  }

  #done(segment: number): void {
    this.#wholeSamples.reset();
    this.#emit?.({ type: 'done', segment });
    this.#pump();
  }

  /**
   * A lost connection fails its pending segments and all segments after them; the engine decides whether to retry.
   * If the provider closes an idle socket, no segment fails, and the voice opens another socket in advance. If that
   * socket is refused or closed unused, the next `speak` opens one.
   */
  #lost(segments: readonly number[], error: ProviderError): void {
    if (segments.length === 0) {
      if (this.#emit !== undefined && this.#connection.isGone && this.#connection.hasSpoken) this.#takeOver();
      return;
    }
    this.#wholeSamples.reset();
    this.#failing = [...segments, ...this.#waiting.map((waiting) => waiting.segment)];
    this.#waiting = [];
    for (let segment = this.#failing.shift(); segment !== undefined; segment = this.#failing.shift()) {
      this.#emit?.({ type: 'failed', segment, error });
    }
  }
}
