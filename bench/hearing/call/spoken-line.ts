import { noise, silence } from '../../../fixtures/sound/synthesis.ts';
import {
  durationOf,
  SAMPLES_PER_MS,
  type Speaker,
  speak,
  wordTimes,
} from '../../../fixtures/sound/telephone-speech.ts';

/** A word of a line, in ms since the line's first sample. */
export interface SpokenWord {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** The speech or noise of a user between two pauses: its samples at 8 kHz, and the words in them. */
export interface SpokenLine {
  readonly samples: Int16Array;
  readonly words: readonly SpokenWord[];
  /** Another person beside the phone says it, and waits for no answer. */
  readonly isOfAnother?: boolean;
}

const VOICES: Readonly<Record<string, string>> = {
  de: 'de',
  en: 'en-gb',
  es: 'es',
  fr: 'fr',
  it: 'it',
  nl: 'nl',
  pt: 'pt-br',
};
const WORDS_PER_MINUTE = 165;
const PITCH = 42;
/** Noise of the line: it also makes each silent frame unlike every other. */
const NOISE_DB = -65;

const spoken = new Map<string, SpokenLine>();

/** Synthetic speech of espeak-ng. Its words have the times that their lengths suggest. */
export function say(text: string, language = 'en', variant = ''): SpokenLine {
  const voice = `${VOICES[language] ?? language}${variant}`;
  const key = `${voice} ${text}`;
  const known = spoken.get(key);
  if (known !== undefined) return known;
  const speaker: Speaker = { voice, wordsPerMinute: WORDS_PER_MINUTE, pitch: PITCH };
  const samples = speak(text, speaker);
  const line = { samples, words: wordTimes(text, 0, durationOf(samples)) };
  spoken.set(key, line);
  return line;
}

export function pause(lengthMs: number): SpokenLine {
  return { samples: silence(lengthMs), words: [] };
}

/** A sound without words. */
export function sound(samples: Int16Array): SpokenLine {
  return { samples, words: [] };
}

/** The parts one after another. */
export function line(...parts: readonly SpokenLine[]): SpokenLine {
  const samples = new Int16Array(parts.reduce((sum, part) => sum + part.samples.length, 0));
  const words: SpokenWord[] = [];
  let at = 0;
  for (const part of parts) {
    const offsetMs = at / SAMPLES_PER_MS;
    samples.set(part.samples, at);
    for (const word of part.words) {
      words.push({ ...word, startMs: word.startMs + offsetMs, endMs: word.endMs + offsetMs });
    }
    at += part.samples.length;
  }
  return { samples, words };
}

/** The same line, weaker by this many dB. */
export function softer(from: SpokenLine, byDb: number): SpokenLine {
  const gain = 10 ** (-byDb / 20);
  return { ...from, samples: from.samples.map((sample) => Math.round(sample * gain)) };
}

export function textOf({ words }: SpokenLine): string {
  return words.map(({ text }) => text).join(' ');
}

/** The noise of a quiet line, as long as a call may last. */
export function lineNoise(lengthMs: number, seed: number): Int16Array {
  return noise(lengthMs, NOISE_DB, seed);
}
