import { describe, expect, it } from 'vitest';
import { NO_SPEECH, type SpeechRevision } from '../../../engine/core/state/speech-timeline.ts';
import { commitWords } from '../../../engine/user-speech/commit-mark.ts';
import { speechParts } from '../../../engine/user-speech/speech-parts.ts';
import { revise } from '../../../engine/user-speech/speech-timeline.ts';

const PART_PAUSE_MS = 500;

const final = (text: string, startMs: number, endMs: number, words: SpeechRevision['words'] = []): SpeechRevision => ({
  text,
  startMs,
  endMs,
  words,
  isFinal: true,
});
/** Voice activity since the commit mark. */
const heard = (activityStartMs: number | null) => ({ activityStartMs, wordErrorMs: 400 });
const speechOf = (...revisions: readonly SpeechRevision[]) =>
  revisions.reduce((timeline, revision) => revise(timeline, revision, heard(null)), NO_SPEECH);

describe('the parts of a turn', () => {
  it('are parted by pauses between its finals', () => {
    const speech = speechOf(
      final('I want', 0, 1_000),
      final('a table', 1_000 + PART_PAUSE_MS - 1, 2_000),
      final('for four.', 2_000 + PART_PAUSE_MS, 3_000),
    );
    expect(speechParts(speech, null)).toEqual([
      { startMs: 0, endMs: 2_000, text: 'I want a table' },
      { startMs: 2_500, endMs: 3_000, text: 'for four.' },
    ]);
  });

  it('are parted by pauses between the words of one final', () => {
    const times = [0, 300, 1_200].map((startMs) => ({ text: '', startMs, endMs: startMs + 200 }));
    expect(speechParts(speechOf(final('one two three', 0, 1_400, times)), null)).toEqual([
      { startMs: 0, endMs: 500, text: 'one two' },
      { startMs: 1_200, endMs: 1_400, text: 'three' },
    ]);
  });

  it('are those of a committed entry too, without the words after it', () => {
    const committed = commitWords(speechOf(final('I want', 0, 1_000), final('a table', 2_000, 3_000)), {
      entry: 1,
      activityStartMs: 0,
      activityEndMs: 3_000,
    });
    const speech = revise(committed, final('What else?', 9_000, 9_500), heard(9_000));
    expect(speechParts(speech, 1).map(({ text }) => text)).toEqual(['I want', 'a table']);
    expect(speechParts(speech, null).map(({ text }) => text)).toEqual(['What else?']);
  });

  it('have estimated times where one final holds words of two turns', () => {
    const interim = revise(NO_SPEECH, { ...final('one two', 0, 1_000), isFinal: false }, heard(null));
    const committed = commitWords(interim, { entry: 1, activityStartMs: 0, activityEndMs: 1_000 });
    const speech = revise(committed, final('one two three four', 0, 4_000), heard(3_000));
    expect(speechParts(speech, 1)).toEqual([{ startMs: 0, endMs: 2_000, text: 'one two' }]);
    expect(speechParts(speech, null)).toEqual([{ startMs: 2_000, endMs: 4_000, text: 'three four' }]);
  });

  it('are those of one entry alone where two turns share a final', () => {
    const said = (text: string, endMs: number) => ({ ...final(text, 0, endMs), isFinal: false });
    const mark = (entry: number, endMs: number) => ({ entry, activityStartMs: 0, activityEndMs: endMs });
    const first = commitWords(revise(NO_SPEECH, said('one two', 1_000), heard(null)), mark(1, 1_000));
    const both = commitWords(revise(first, said('one two three four', 4_000), heard(3_000)), mark(2, 4_000));
    expect(speechParts(both, 1)).toEqual([{ startMs: 0, endMs: 2_000, text: 'one two' }]);
    expect(speechParts(both, 2)).toEqual([{ startMs: 2_000, endMs: 4_000, text: 'three four' }]);
    expect(speechParts(both, 3)).toEqual([]);
  });

  it('are empty for an entry whose words the final no longer has', () => {
    const said = (text: string, endMs: number) => ({ ...final(text, 0, endMs), isFinal: false });
    const mark = (entry: number, endMs: number) => ({ entry, activityStartMs: 0, activityEndMs: endMs });
    const first = commitWords(revise(NO_SPEECH, said('one two', 1_000), heard(null)), mark(1, 1_000));
    const both = commitWords(revise(first, said('one two three four', 4_000), heard(3_000)), mark(2, 4_000));
    const [segment] = both.segments;
    if (segment === undefined) throw new Error('no segment');
    const shortened = { ...both, segments: [{ ...segment, text: 'one two' }] };
    expect(speechParts(shortened, 1).map(({ text }) => text)).toEqual(['one two']);
    expect(speechParts(shortened, 2)).toEqual([]);
  });
});
