import { describe, expect, it } from 'vitest';
import { NO_SPEECH, type SpeechRevision, type SpeechTimeline } from '../../../engine/core/state/speech-timeline.ts';
import { commitWords, entryText, openText } from '../../../engine/user-speech/commit-mark.ts';
import { hasChangingWords, openWordsEndMs } from '../../../engine/user-speech/open-speech.ts';
import { revise } from '../../../engine/user-speech/speech-timeline.ts';

const ENTRY = 7;

const untimed = (text: string, startMs: number, endMs: number): SpeechRevision => ({
  text,
  startMs,
  endMs,
  words: [],
  isFinal: false,
});
/** With word times, in equal parts. */
const interim = (text: string, startMs: number, endMs: number): SpeechRevision => {
  const texts = text.split(' ');
  const lengthMs = (endMs - startMs) / texts.length;
  const words = texts.map((word, at) => ({
    text: word,
    startMs: startMs + at * lengthMs,
    endMs: startMs + (at + 1) * lengthMs,
  }));
  return { ...untimed(text, startMs, endMs), words };
};
const final = (text: string, startMs: number, endMs: number): SpeechRevision => ({
  ...interim(text, startMs, endMs),
  isFinal: true,
});
const heard = (timeline: SpeechTimeline, activityStartMs: number | null, ...revisions: readonly SpeechRevision[]) =>
  revisions.reduce((earlier, revision) => revise(earlier, revision, { activityStartMs, wordErrorMs: 400 }), timeline);

describe('a final for a part of its interim', () => {
  it('leaves the words after its audio open until the next revision', () => {
    const long = heard(NO_SPEECH, null, interim('I want a table for four', 0, 1_800));
    const part = heard(long, null, final('I want a table', 0, 1_200));
    expect(openText(part)).toBe('I want a table for four');
    expect(part.segments.map(({ state }) => state)).toEqual(['final', 'open']);
    expect([hasChangingWords(part), openWordsEndMs(part)]).toEqual([true, 1_800]);
    const revised = heard(part, null, interim('for five people', 1_200, 2_100));
    expect(openText(revised)).toBe('I want a table for five people');
    expect(openText(heard(part, null, final('for five', 1_200, 1_800)))).toBe('I want a table for five');
    expect(openText(heard(part, null, final('', 1_200, 1_800)))).toBe('I want a table');
  });

  it('leaves no words that it covers, or repeats at other times', () => {
    const long = heard(NO_SPEECH, null, interim('I want a table uh', 0, 1_500));
    const whole = { ...final('I want a table', 0, 1_200), coveredMs: 1_500 };
    expect(heard(long, null, whole).segments).toHaveLength(1);
    const shifted = heard(long, null, final('I want a table, uh', 0, 1_000));
    expect(openText(shifted)).toBe('I want a table, uh');
    const digits = heard(NO_SPEECH, null, interim('zero one seven two', 0, 1_200));
    expect(openText(heard(digits, null, final('0172', 0, 1_100)))).toBe('0172');
    // Without word times it is unknown where the final ends in them.
    const digitsOnly = heard(NO_SPEECH, null, untimed('zero one seven two', 0, 1_200));
    expect(openText(heard(digitsOnly, null, { ...untimed('0172', 0, 900), isFinal: true }))).toBe('0172');
  });

  it('leaves committed and open words after its audio', () => {
    const spoken = heard(NO_SPEECH, null, interim('I want a table for', 0, 1_500));
    const long = commitWords(spoken, { entry: ENTRY, activityEndMs: 1_500, activityStartMs: 0 });
    const more = heard(long, 3_000, interim('I want a table for four people', 0, 3_600));
    const part = heard(more, 3_000, final('I want a table', 0, 1_200));
    expect([entryText(part, ENTRY), openText(part)]).toEqual(['I want a table for', 'four people']);
  });
});
