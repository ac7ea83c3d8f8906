import fc from 'fast-check';
import type { TranscribedWord } from '../../../engine/ports/transcriber.ts';
import { CHARACTER_MS } from '../simulation/default-timing.ts';
import type { Simulation } from '../simulation/simulation.ts';

const WORD_MS = 400;
/** Voice activity ends this long after the last word. */
const HANGOVER_MS = 100;
/** From the end of the echo of a word to the final that reports it. */
const ECHO_FINAL_MS = 300;
/** How long a media worker takes to be replaced. */
const REPLACED_MS = 300;

/** A stretch of the user's speech, and how the transcriber reports it. */
const anyStretch = fc.record({
  pauseMs: fc.integer({ min: 300, max: 5_000 }),
  words: fc.integer({ min: 1, max: 8 }),
  interims: fc.constantFrom('none', 'partial', 'all'),
  wordTimes: fc.boolean(),
  /** From the end of speech to the final. The engine expects 400 ms. */
  finalMs: fc.oneof(fc.integer({ min: 50, max: 400 }), fc.integer({ min: 400, max: 3_000 })),
  /** The same final comes again after this time. */
  doubledMs: fc.option(fc.integer({ min: 10, max: 3_000 }), { freq: 3 }),
});
export type Stretch = typeof anyStretch extends fc.Arbitrary<infer T> ? T : never;

/** Another event, `afterMs` after the end of a stretch. */
const anyDisturbance = fc.record({
  kind: fc.constantFrom('sounds', 'sounds', 'echo', 'echo', 'say', 'worker', 'background'),
  stretch: fc.nat(3),
  afterMs: fc.oneof(fc.integer({ min: 10, max: 1_000 }), fc.integer({ min: 1_000, max: 4_000 })),
  count: fc.integer({ min: 1, max: 8 }),
  everyMs: fc.integer({ min: 500, max: 2_000 }),
  lengthMs: fc.integer({ min: 60, max: 450 }),
});
type Disturbance = typeof anyDisturbance extends fc.Arbitrary<infer T> ? T : never;

/** The model's answers, in order. One may fail before or after its first sentence. */
const anyResponse = fc.record({
  after: fc.constantFrom(0.05, 0.4, 2),
  text: fc.constantFrom('Yes.', 'Let me see. That is possible on Monday.', 'Which day would be good for you?'),
  toolCalls: fc.constantFrom([], [], [], [{ name: 'lookup' }]),
});
const anyFailure = fc.record({
  after: fc.constantFrom(0.02, 0.1, 0.6),
  text: fc.constantFrom('', 'Let me look at that.'),
  failsWith: fc.constant({ retryable: true }),
});

export const anyDisturbedCall = fc.record({
  stretches: fc.array(anyStretch, { minLength: 1, maxLength: 4 }),
  disturbances: fc.array(anyDisturbance, { maxLength: 4 }),
  model: fc.array(fc.oneof({ weight: 4, arbitrary: anyResponse }, { weight: 1, arbitrary: anyFailure }), {
    maxLength: 8,
  }),
  lookupSeconds: fc.constantFrom(0.3, 6),
  interruptions: fc.boolean(),
  /** The permissions of the state and of the tool's announcement. */
  interruptible: fc.constantFrom('all', 'state', 'announcement', 'none'),
});

/** A span of audio. Times in ms of the call. */
export interface Interval {
  readonly startMs: number;
  readonly endMs: number;
}

/** A stretch in the call, with the times of its report. */
interface SpokenStretch extends Interval {
  readonly words: readonly TranscribedWord[];
  readonly finalAtMs: number;
  readonly stretch: Stretch;
}

/** A word that no other resembles: transcribers are aligned by the letters of their words. */
function numbered(number: number): string {
  return `${[...String(number)].map((digit) => 'abcdefghij'[Number(digit)] ?? '').join('')}xyz`;
}

/** The user's speech, in order. Finals come in the order of the speech. */
export function spokenStretches(stretches: readonly Stretch[], fromMs: number): readonly SpokenStretch[] {
  const spoken: SpokenStretch[] = [];
  let [atMs, number, finalAtMs] = [fromMs, 0, 0];
  for (const stretch of stretches) {
    const startMs = atMs + stretch.pauseMs;
    const words = Array.from({ length: stretch.words }, (_, index) => ({
      text: numbered(number + index),
      startMs: startMs + index * WORD_MS,
      endMs: startMs + (index + 1) * WORD_MS,
    }));
    atMs = startMs + stretch.words * WORD_MS;
    number += stretch.words;
    finalAtMs = Math.max(finalAtMs + 10, atMs + stretch.finalMs);
    spoken.push({ startMs, endMs: atMs, words, finalAtMs, stretch });
  }
  return spoken;
}

/** Plans the events of a disturbed call on its simulation. */
export class DisturbedCall {
  readonly #call: Simulation;
  readonly #spoken: readonly SpokenStretch[];
  readonly #activity: Interval[] = [];
  readonly #replacements: number[] = [];
  #saidTexts = 0;

  constructor(call: Simulation, spoken: readonly SpokenStretch[], disturbances: readonly Disturbance[]) {
    this.#call = call;
    this.#spoken = spoken;
    for (const one of spoken) this.#planSpeech(one);
    for (const one of disturbances) this.#planDisturbance(one);
    this.#planActivity();
  }

  /** How many texts the API had the agent say. */
  get saidTexts(): number {
    return this.#saidTexts;
  }

  /** The user's sounds, with words and without, joined where they overlap. */
  get sounds(): readonly Interval[] {
    const joined: Interval[] = [];
    for (const sound of this.#activity.toSorted((a, b) => a.startMs - b.startMs)) {
      const last = joined.at(-1);
      if (last === undefined || sound.startMs > last.endMs) joined.push(sound);
      else joined.splice(-1, 1, { startMs: last.startMs, endMs: Math.max(last.endMs, sound.endMs) });
    }
    return joined;
  }

  #planSpeech({ startMs, endMs, words, finalAtMs, stretch }: SpokenStretch): void {
    this.#activity.push({ startMs, endMs: endMs + HANGOVER_MS });
    const text = (count: number) =>
      words
        .slice(0, count)
        .map((word) => word.text)
        .join(' ');
    const interims = { none: 0, partial: stretch.words - 1, all: stretch.words }[stretch.interims];
    for (let count = 1; count <= interims; count++) {
      const untilMs = startMs + count * WORD_MS;
      const interim = { type: 'interim', text: text(count), startMs, endMs: untilMs } as const;
      // In order with the final.
      if (untilMs + 50 < finalAtMs) this.#at(untilMs + 50, (call) => call.emitTranscriberEvent(interim));
    }
    const times = stretch.wordTimes ? words : [];
    const final = { type: 'final', text: text(stretch.words), words: times, startMs, endMs } as const;
    this.#at(finalAtMs, (call) => call.emitTranscriberEvent(final));
    if (stretch.doubledMs !== null) this.#at(finalAtMs + stretch.doubledMs, (call) => call.emitTranscriberEvent(final));
  }

  #planDisturbance({ kind, stretch, afterMs, count, everyMs, lengthMs }: Disturbance): void {
    const { endMs } = this.#spoken[Math.min(stretch, this.#spoken.length - 2)] ?? { endMs: 0 };
    const atMs = endMs + HANGOVER_MS + afterMs;
    switch (kind) {
      case 'sounds':
        for (let index = 0; index < count; index++) {
          const startMs = atMs + index * everyMs;
          this.#activity.push({ startMs, endMs: startMs + lengthMs });
        }
        break;
      case 'echo':
        this.#at(atMs, (call) => this.#echo(call, atMs));
        break;
      case 'say':
        this.#saidTexts++;
        this.#at(atMs, (call) =>
          call.handle.post({ type: 'call.say', text: SAID_TEXT, interrupt: false, interruptible: false }),
        );
        break;
      case 'worker':
        this.#replacements.push(atMs);
        break;
      case 'background':
        this.#at(atMs, (call) => call.media.emit({ type: 'background_speech_started', audioMs: atMs }));
        this.#at(atMs + everyMs, (call) =>
          call.media.emit({ type: 'background_speech_stopped', audioMs: atMs + everyMs }),
        );
        break;
    }
  }

  /** The transcriber reports what the agent has said of its segment so far, at least two words, as the user's. */
  #echo(call: Simulation, atMs: number): void {
    const command = call.commands.findLast(({ type }) => type === 'voice.speak');
    if (command?.type !== 'voice.speak' || !call.media.isPlaying) return;
    const started = call.tape.findLast(
      ({ event }) => event.type === 'media.segment_started' && event.segment === command.segment,
    );
    if (started === undefined) return;
    const startMs = started.atUs / 1000;
    const words = command.text
      .slice(0, Math.floor((atMs - startMs) / CHARACTER_MS))
      .split(' ')
      .slice(0, -1);
    if (words.length < 2) return;
    const final = { type: 'final', text: words.join(' '), words: [], startMs, endMs: atMs } as const;
    // Transcribers report in the order of the audio.
    const before = this.#spoken.filter((one) => one.startMs < atMs).map(({ finalAtMs }) => finalAtMs + 10);
    const finalAtMs = Math.max(atMs + ECHO_FINAL_MS, ...before);
    // A transcriber makes one unpredictable text of two voices at once.
    if (this.#spoken.some((one) => one.startMs <= finalAtMs && one.endMs >= startMs)) return;
    this.#at(finalAtMs, (call) => call.emitTranscriberEvent(final));
  }

  /** A worker that is replaced ends the activity; the next one hears it again. */
  #planActivity(): void {
    for (const { startMs, endMs } of this.sounds) {
      const replacedMs = this.#replacements.find((atMs) => atMs + REPLACED_MS > startMs && atMs < endMs);
      const parts: Interval[] = [];
      if (replacedMs === undefined) parts.push({ startMs, endMs });
      else {
        if (startMs < replacedMs) parts.push({ startMs, endMs: replacedMs });
        if (endMs > replacedMs + REPLACED_MS) parts.push({ startMs: replacedMs + REPLACED_MS, endMs });
      }
      for (const part of parts) {
        this.#at(part.startMs, (call) => call.media.emit({ type: 'speech_started', audioMs: part.startMs }));
        this.#at(part.endMs, (call) => call.media.emit({ type: 'speech_stopped', audioMs: part.endMs }));
      }
    }
    for (const atMs of this.#replacements) {
      this.#at(atMs, (call) => call.media.emit({ type: 'suspended' }));
      this.#at(atMs + REPLACED_MS, (call) => call.media.emit({ type: 'restored' }));
    }
  }

  #at(ms: number, act: (call: Simulation) => void): void {
    this.#call.at(ms / 1000, act);
  }
}

/** The text of every say request. */
export const SAID_TEXT = 'This call is recorded.';
