import type { TapeEntry } from '../../../engine/tape/tape-format.ts';
import type { Simulation } from './simulation.ts';

/** One stretch of the user's speech, between two silences. Times in ms of the call. */
export interface SpokenUtterance {
  readonly startMs: number;
  readonly text: string;
}

/** How the transcriber reports speech. Times in ms. */
export interface StreamTiming {
  /** From the end of a word to the event that reports it. */
  readonly lagMs: number;
  /** From the end of an utterance to its final. */
  readonly finalMs: number;
  readonly interims: boolean;
  readonly wordTimes: boolean;
  /** Seconds of audio that a successor transcribes in a second: a slow server catches up slowly. At once if absent. */
  readonly catchUpSpeed?: number;
}

const WORD_MS = 300;
const PACKET_MS = 20;
/** Voice activity ends this long after the last word. */
const HANGOVER_MS = 100;

interface SpokenWord {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

interface OpenStream {
  readonly shiftMs: number;
  readyAtMs: number | null;
  readonly reported: Map<number, number>;
  readonly ended: Set<number>;
}

/**
 * A user who speaks, and a transcriber that reports exactly the words in the audio of its stream. It can be lost at any
 * time; its successor gets the audio that the engine sends again, and no other.
 */
export class StreamedSpeech {
  readonly #call: Simulation;
  readonly #utterances: readonly (readonly SpokenWord[])[];
  readonly #timing: StreamTiming;
  /** From `ready` of each stream after the first one to its first words; the last one holds for all later streams. */
  readonly #successorLagsMs: readonly number[];
  #stream: OpenStream = { shiftMs: 0, readyAtMs: 0, reported: new Map(), ended: new Set() };
  #streams = 1;
  readonly #finals = new Set<number>();

  constructor(
    call: Simulation,
    utterances: readonly SpokenUtterance[],
    timing: StreamTiming,
    successorLagsMs: readonly number[] = [],
  ) {
    this.#call = call;
    this.#utterances = utterances.map(spokenWords);
    this.#timing = timing;
    this.#successorLagsMs = successorLagsMs;
  }

  /** Whether a stream has sent the final of the utterance, counted from 0. */
  hasFinal(utterance: number): boolean {
    return this.#finals.has(utterance);
  }

  /** Plans the speech and its events up to this time. */
  runUntil(endMs: number): Simulation {
    for (const words of this.#utterances) {
      const [startMs, stopMs] = [words[0]?.startMs ?? 0, (words.at(-1)?.endMs ?? 0) + HANGOVER_MS];
      this.#call.at(startMs / 1000, (call) => call.media.emit({ type: 'speech_started', audioMs: startMs }));
      this.#call.at(stopMs / 1000, (call) => call.media.emit({ type: 'speech_stopped', audioMs: stopMs }));
    }
    for (let atMs = PACKET_MS; atMs <= endMs; atMs += PACKET_MS) {
      this.#call.at(atMs / 1000, (call) => {
        call.media.receive(PACKET_MS);
        this.#report(atMs);
      });
    }
    return this.#call.runUntil(endMs / 1000);
  }

  #report(nowMs: number): void {
    this.#followStream(nowMs);
    const { shiftMs, readyAtMs, reported, ended } = this.#stream;
    if (readyAtMs === null || nowMs < readyAtMs + this.#firstLagMs) return;
    const { finalMs, interims, lagMs, catchUpSpeed = Number.POSITIVE_INFINITY } = this.#timing;
    // The first stream has no audio to catch up with.
    const readMs = this.#streams === 1 ? nowMs : Math.min(nowMs, shiftMs + (nowMs - readyAtMs) * catchUpSpeed);
    for (const [index, words] of this.#utterances.entries()) {
      const streamed = words.filter(({ startMs }) => startMs >= shiftMs - 1);
      const heard = streamed.filter(({ endMs }) => endMs <= readMs - lagMs);
      if (ended.has(index) || heard.length === 0) continue;
      const isFinal = readMs >= (streamed.at(-1)?.endMs ?? 0) + Math.max(lagMs, finalMs);
      if (!isFinal && (!interims || reported.get(index) === heard.length)) continue;
      reported.set(index, heard.length);
      if (isFinal) {
        ended.add(index);
        this.#finals.add(index);
      }
      this.#emit(heard, isFinal);
    }
  }

  /** From `ready` to the first words. */
  get #firstLagMs(): number {
    const index = Math.min(this.#streams - 2, this.#successorLagsMs.length - 1);
    return this.#successorLagsMs[index] ?? this.#timing.lagMs;
  }

  /** A new stream counts from the place from which the engine sends the audio again. */
  #followStream(nowMs: number): void {
    const { length } = this.#call.transcriberStreams;
    if (length !== this.#streams) {
      const opened = this.#call.commands.findLast((command) => command.type === 'transcriber.open');
      const shiftMs = opened?.type === 'transcriber.open' ? opened.fromMs : 0;
      this.#stream = { shiftMs, readyAtMs: null, reported: new Map(), ended: new Set() };
      this.#streams = length;
    }
    if (this.#stream.readyAtMs !== null) return;
    const isNews = ({ event, commands }: TapeEntry) =>
      event.type === 'transcriber.ready' || commands.some((command) => command.type === 'transcriber.open');
    if (this.#call.tape.findLast(isNews)?.event.type === 'transcriber.ready') this.#stream.readyAtMs = nowMs;
  }

  #emit(heard: readonly SpokenWord[], isFinal: boolean): void {
    const { shiftMs } = this.#stream;
    const shifted = heard.map((word) => ({
      ...word,
      startMs: word.startMs - shiftMs,
      endMs: word.endMs - shiftMs,
    }));
    const span = { startMs: shifted[0]?.startMs ?? 0, endMs: shifted.at(-1)?.endMs ?? 0 };
    const text = heard.map((word) => word.text).join(' ');
    const words = this.#timing.wordTimes ? shifted : [];
    if (isFinal) this.#call.emitTranscriberEvent({ type: 'final', text, words, ...span });
    else this.#call.emitTranscriberEvent({ type: 'interim', text, words, ...span });
  }
}

function spokenWords({ startMs, text }: SpokenUtterance): readonly SpokenWord[] {
  return text.split(' ').map((word, index) => {
    const wordMs = startMs + index * WORD_MS;
    return { text: word, startMs: wordMs, endMs: wordMs + WORD_MS - PACKET_MS };
  });
}
