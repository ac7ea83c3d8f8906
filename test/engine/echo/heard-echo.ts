import fc from 'fast-check';
import type { CallEvent, WordsEvent } from '../../../engine/core/event.ts';
import type { ActivityInterval } from '../../../engine/core/state/interruption-slice.ts';
import type { Segment } from '../../../engine/core/state/playout-slice.ts';
import { withoutEcho } from '../../../engine/echo/echo-removal.ts';
import type { TranscribedWord } from '../../../engine/ports/transcriber.ts';
import { ruleStep } from '../simulation/rule-step.ts';

const NOW_MS = 60_000;
/** Assumed error of the word times of a transcriber whose traits state no `wordEndSlackMs`. */
export const ERROR_MS = 400;
/** Bound of an echo whose delay is not known. */
export const UNKNOWN_DELAY_MS_MAX = 500;
/** Time at which the agent starts to speak. */
export const PLAYOUT_START_MS = 10_000;
export const CHARACTER_MS = 60;

export function segmentOf(text: string, changes: Partial<Segment> = {}): Segment {
  return {
    number: 1,
    item: 1,
    text,
    interruptible: true,
    requestedUs: 9_000_000,
    voiceStartedUs: 9_500_000,
    durationMs: text.length * CHARACTER_MS,
    words: [],
    playout: { startedUs: PLAYOUT_START_MS * 1000, startMs: 0 },
    ended: true,
    ...changes,
  };
}

export interface Conditions {
  readonly segments: readonly Segment[];
  /** Null: no echo is known. */
  readonly delayMs?: number | null;
  /** Near-end speech: start and end of each interval, ms. */
  readonly activity?: readonly (readonly [number, number])[];
  /** Time at which `delayMs` became known. */
  readonly learntMs?: number;
  readonly type?: 'final' | 'interim';
}

export interface Heard {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly words?: readonly TranscribedWord[];
}

/** What remains of the heard words without the echo of the agent. */
export function wordsOfUser({ text, startMs, endMs, words = [] }: Heard, conditions: Conditions) {
  const { segments, delayMs = null, learntMs = 0, activity = [], type = 'final' } = conditions;
  const event: WordsEvent = { type: `transcriber.${type}`, text, startMs, endMs, words };
  const intervals: readonly ActivityInterval[] = activity.map(([from, until]) => ({
    fromUs: from * 1000,
    untilUs: until * 1000,
  }));
  const echo = { delayMs, learntUs: delayMs === null ? null : learntMs * 1000, activity: intervals };
  const step = ruleStep({ echo, lastPlayedSegments: segments }, NOW_MS, { type: 'call.offered' } satisfies CallEvent);
  return withoutEcho(step, event);
}

export const textOf = (heard: Heard, conditions: Conditions) => wordsOfUser(heard, conditions).text;

/** Words at their times, each as long as its letters. */
export function timed(text: string, startMs: number): Heard {
  let atMs = startMs;
  const words = text.split(' ').map((word) => {
    const from = atMs;
    atMs += (word.length + 1) * CHARACTER_MS;
    return { text: word, startMs: from, endMs: atMs - CHARACTER_MS };
  });
  return { text, startMs, endMs: words.at(-1)?.endMs ?? startMs, words };
}

export function joined(...parts: readonly Heard[]): Heard {
  return {
    text: parts.map(({ text }) => text).join(' '),
    startMs: parts[0]?.startMs ?? 0,
    endMs: parts.at(-1)?.endMs ?? 0,
    words: parts.flatMap(({ words = [] }) => words),
  };
}

export const untimed = (heard: Heard): Heard => ({ ...heard, words: [] });

/** Words of the agent. None is similar to another one, or to a word of `OWN_WORD`. */
export const ANY_WORD = fc.constantFrom(
  'alpha',
  'brick',
  'candle',
  'dune',
  'engine',
  'forest',
  'grape',
  'hotel',
  'island',
  'jungle',
);
export const OWN_WORD = fc.constantFrom('zero', 'yonder', 'xylem', 'wolf', 'velvet', 'umbrella');
