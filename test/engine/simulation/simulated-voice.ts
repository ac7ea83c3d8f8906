import type { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import type { ProviderErrorCode } from '../../../engine/ports/provider-error.ts';
import type { Voice, VoiceEvent, VoiceOptions, VoiceStream } from '../../../engine/ports/voice.ts';
import { CHARACTER_MS, VOICE_MS } from './default-timing.ts';
import type { Scenario, VoiceScript } from './scenario.ts';
import { evenWordTimes, unevenWordTimes } from './word-times.ts';

/** Mu-law at 8 kHz. */
const BYTES_PER_MS = 8;

type Emit = (event: VoiceEvent) => void;

/** Opens voices that speak after the scenario, and keeps what each was given. */
export class SimulatedVoice implements Voice {
  /** The voices that were opened, and the texts that each was given to speak. */
  readonly opened: { readonly name: string; readonly texts: string[] }[] = [];
  /** Texts and paces by the number of the segment, of all voices. */
  readonly texts = new Map<number, string>();
  readonly characterMs = new Map<number, number>();
  readonly #scenario: Scenario;
  readonly #clock: SimulatedClock;

  constructor(scenario: Scenario, clock: SimulatedClock) {
    this.#scenario = scenario;
    this.#clock = clock;
  }

  open(options: VoiceOptions, emit: Emit): VoiceStream {
    const script = this.#scenario.voicesByName?.[options.name] ?? this.#scenario.voice ?? {};
    const texts: string[] = [];
    this.opened.push({ name: options.name, texts });
    const stream = new SimulatedVoiceStream(script, options, emit);
    return {
      speak: (segment, text) => {
        const textIndex = texts.push(text) - 1;
        stream.lastSegment = segment;
        this.texts.set(segment, text);
        this.characterMs.set(segment, script.characterMs ?? CHARACTER_MS);
        if (script.stalls === true) return;
        this.#clock.after((script.after ?? VOICE_MS / 1000) * 1000, () => {
          const isDown = this.#clock.nowMs() < (script.failsUntil ?? 0) * 1000;
          if (isDown) stream.fail(segment, segment, true);
          else stream.synthesise(segment, text, textIndex);
        });
      },
      cancel: () => stream.cancel(),
      close: () => stream.close(),
    };
  }
}

class SimulatedVoiceStream {
  lastSegment = 0;
  #cancelledThrough = 0;
  #failedThrough = 0;
  readonly #script: VoiceScript;
  readonly #options: VoiceOptions;
  readonly #emit: Emit;

  constructor(script: VoiceScript, options: VoiceOptions, emit: Emit) {
    this.#script = script;
    this.#options = options;
    this.#emit = (event) => {
      if (event.segment > this.#cancelledThrough) emit(event);
    };
  }

  synthesise(segment: number, text: string, textIndex: number): void {
    if (segment <= this.#failedThrough || segment <= this.#cancelledThrough) return;
    const { fails, characterMs = CHARACTER_MS } = this.#script;
    if (fails === 'always' || (fails === 'once' && this.#failedThrough === 0)) {
      this.fail(segment, fails === 'once' ? this.lastSegment : segment, true);
      return;
    }
    if (this.#script.textsWithoutAudio?.includes(textIndex) === true) {
      this.#emit({ type: 'done', segment });
      return;
    }
    if (this.#script.onlyTexts?.includes(text) === false) {
      this.fail(segment, segment, false);
      return;
    }
    const durationMs = text.length * characterMs;
    this.#emitWordTimes(segment, text, durationMs);
    const failure = this.#script.failsAt?.find((planned) => planned.textIndex === textIndex);
    if (failure === undefined) {
      this.#emitAudio(segment, durationMs);
      this.#emit({ type: 'done', segment });
      return;
    }
    if (failure.afterMs > 0) this.#emitAudio(segment, failure.afterMs);
    this.fail(segment, this.lastSegment, failure.retryable ?? true, failure.code);
  }

  cancel(): void {
    this.#cancelledThrough = this.lastSegment;
  }

  close(): void {
    this.#cancelledThrough = Number.POSITIVE_INFINITY;
  }

  #emitWordTimes(segment: number, text: string, durationMs: number): void {
    const { wordTimes, characterMs = CHARACTER_MS } = this.#script;
    if (wordTimes === 'uneven') this.#emit({ type: 'words', segment, words: unevenWordTimes(text, durationMs) });
    if (wordTimes === 'even') this.#emit({ type: 'words', segment, words: evenWordTimes(text, characterMs) });
  }

  #emitAudio(segment: number, durationMs: number): void {
    const audio = new Uint8Array(durationMs * BYTES_PER_MS);
    this.#emit({ type: 'audio', segment, format: this.#options.format, audio });
  }

  fail(firstSegment: number, lastSegment: number, retryable: boolean, code: ProviderErrorCode = 'unavailable'): void {
    if (lastSegment <= this.#cancelledThrough) return;
    const error = { provider: 'test', code, message: 'no', retryable } as const;
    this.#failedThrough = lastSegment;
    for (let segment = firstSegment; segment <= lastSegment; segment++) this.#emit({ type: 'failed', segment, error });
  }
}
