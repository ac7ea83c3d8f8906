import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_SPEECH, type SpeechTimeline } from '../../../engine/core/state/speech-timeline.ts';
import { AMENDABLE_TURNS_MAX, commitWords, entryText, openText } from '../../../engine/user-speech/commit-mark.ts';
import { revise } from '../../../engine/user-speech/speech-timeline.ts';
import { PROPERTY_TIMEOUT_MS, propertyRuns } from '../properties/property-runs.ts';

const WORD_MS = 300;
const WORD_ERROR_MS = 400;

/** One stretch of the user's speech, and how it is reported and answered. */
const anyStretch = fc.record({
  pauseMs: fc.integer({ min: 300, max: 3_000 }),
  words: fc.integer({ min: 1, max: 8 }),
  /** After how many words an interim comes; one with all of them comes last. */
  interims: fc.uniqueArray(fc.integer({ min: 1, max: 8 }), { maxLength: 3 }),
  /** The last letters of an interim's last word are missing. */
  cutsWord: fc.boolean(),
  /** The final is split into two, comes only with that of the next stretch, or after the interims and the commit of that. */
  finals: fc.constantFrom('one', 'two', 'merged', 'late'),
  /** Finals come twice. */
  isDoubled: fc.boolean(),
  shiftMs: fc.integer({ min: -200, max: 200 }),
  wordTimes: fc.boolean(),
  /** The turn is committed before its final, after it, or goes on in the next stretch. */
  commit: fc.constantFrom('early', 'late', 'none'),
});
type Stretch = typeof anyStretch extends fc.Arbitrary<infer T> ? T : never;

interface SpokenWord {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** Feeds the events of all stretches, in the order of the audio, and collects the entries. */
class Transcription {
  timeline: SpeechTimeline = NO_SPEECH;
  readonly entries = new Map<number, string>();
  #activity: { readonly startMs: number; endMs: number } | null = null;

  hear(words: readonly SpokenWord[]): void {
    const [startMs, endMs] = [words[0]?.startMs ?? 0, words.at(-1)?.endMs ?? 0];
    this.#activity = { startMs: this.#activity?.startMs ?? startMs, endMs };
  }

  report(words: readonly SpokenWord[], { shiftMs, wordTimes }: Stretch, isFinal: boolean, cutsWord = false): void {
    const text = words.map((word) => word.text).join(' ');
    const revision = {
      text: cutsWord ? text.slice(0, -1) : text,
      startMs: (words[0]?.startMs ?? 0) + shiftMs,
      endMs: (words.at(-1)?.endMs ?? 0) + shiftMs,
      words: wordTimes ? words : [],
      isFinal,
    };
    this.timeline = revise(this.timeline, revision, {
      activityStartMs: this.#activity?.startMs ?? null,
      wordErrorMs: WORD_ERROR_MS,
    });
    for (const entry of this.entries.keys()) {
      const amended = entryText(this.timeline, entry);
      if (entry > this.entries.size - AMENDABLE_TURNS_MAX && amended !== '') this.entries.set(entry, amended);
    }
  }

  commit(): void {
    const text = openText(this.timeline);
    if (text === '') return;
    const entry = this.entries.size + 1;
    this.entries.set(entry, text);
    this.timeline = commitWords(this.timeline, {
      entry,
      activityStartMs: this.#activity?.startMs ?? null,
      activityEndMs: this.#activity?.endMs ?? null,
    });
    this.#activity = null;
  }

  get text(): string {
    return [...this.entries.values(), openText(this.timeline)].join(' ').trim();
  }
}

function spoken(stretch: Stretch, atMs: number, firstNumber: number): readonly SpokenWord[] {
  return Array.from({ length: stretch.words }, (_, index) => {
    const startMs = atMs + stretch.pauseMs + index * WORD_MS;
    return { text: `${spelled(firstNumber + index)}`, startMs, endMs: startMs + WORD_MS };
  });
}

/** Words that differ in their first letters. */
function spelled(number: number): string {
  return `${[...String(number)].map((digit) => 'abcdefghij'[Number(digit)] ?? '').join('')}xyz`;
}

describe('a timeline of any transcriber', () => {
  it(
    'loses no word and doubles none, wherever the turns are committed',
    () => {
      fc.assert(
        fc.property(fc.array(anyStretch, { minLength: 1, maxLength: 5 }), (stretches) => {
          const transcription = new Transcription();
          let [atMs, number] = [0, 0];
          let merged: readonly SpokenWord[] = [];
          let reportLate = () => {};
          const expected: string[] = [];
          for (const [index, stretch] of stretches.entries()) {
            const words = spoken(stretch, atMs, number);
            atMs = words.at(-1)?.endMs ?? atMs;
            number += words.length;
            expected.push(...words.map(({ text }) => text));
            transcription.hear(words);
            const all = [...merged, ...words];
            for (const count of stretch.interims.toSorted((a, b) => a - b))
              transcription.report(all.slice(0, merged.length + count), stretch, false, stretch.cutsWord);
            transcription.report(all, stretch, false);
            if (stretch.commit === 'early') transcription.commit();
            const isLast = index === stretches.length - 1;
            merged = stretch.finals === 'merged' && !isLast ? all : [];
            reportLate();
            reportLate = () => {};
            if (stretch.finals === 'late' && !isLast) reportLate = () => reportFinals(transcription, all, stretch);
            else if (merged.length === 0) reportFinals(transcription, all, stretch);
            if (stretch.commit === 'late') transcription.commit();
          }
          expect(transcription.text.split(' ')).toEqual(expected);
        }),
        { numRuns: propertyRuns(2_000) },
      );
    },
    PROPERTY_TIMEOUT_MS,
  );
});

function reportFinals(transcription: Transcription, words: readonly SpokenWord[], stretch: Stretch): void {
  const middle = stretch.finals === 'two' ? Math.ceil(words.length / 2) : words.length;
  const reportFinal = (part: readonly SpokenWord[]) => {
    transcription.report(part, stretch, true);
    if (stretch.isDoubled) transcription.report(part, stretch, true);
  };
  reportFinal(words.slice(0, middle));
  const rest = words.slice(middle);
  if (rest.length === 0) return;
  transcription.report(rest, stretch, false);
  reportFinal(rest);
}
