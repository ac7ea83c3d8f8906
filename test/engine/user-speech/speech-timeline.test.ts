import { describe, expect, it } from 'vitest';
import {
  NO_SPEECH,
  type SpeechRevision,
  type SpeechSegment,
  type SpeechTimeline,
} from '../../../engine/core/state/speech-timeline.ts';
import {
  AMENDABLE_TURNS_MAX,
  commitWords,
  entryText,
  openText,
  reopenWords,
} from '../../../engine/user-speech/commit-mark.ts';
import {
  changingCommittedWords,
  hasChangingWords,
  openWordsEndMs,
  openWordsStartMs,
  transcribedUntilMs,
} from '../../../engine/user-speech/open-speech.ts';
import { loseStream, revise, settle } from '../../../engine/user-speech/speech-timeline.ts';

const ENTRY = 7;
const WORD_ERROR_MS = 400;
/** End of the committed words and of their voice activity. */
const COMMIT_MS = 1_000;

const interim = (text: string, startMs: number, endMs: number): SpeechRevision => ({
  text,
  startMs,
  endMs,
  words: [],
  isFinal: false,
});
const final = (text: string, startMs: number, endMs: number): SpeechRevision => ({
  ...interim(text, startMs, endMs),
  isFinal: true,
});
/** With word times, in equal parts. */
const timed = (revision: SpeechRevision): SpeechRevision => {
  const texts = revision.text.split(' ');
  const lengthMs = (revision.endMs - revision.startMs) / texts.length;
  const words = texts.map((text, index) => {
    const startMs = revision.startMs + index * lengthMs;
    return { text, startMs, endMs: startMs + lengthMs };
  });
  return { ...revision, words };
};
const heard = (timeline: SpeechTimeline, activityStartMs: number | null, ...revisions: readonly SpeechRevision[]) =>
  revisions.reduce(
    (earlier, revision) => revise(earlier, revision, { activityStartMs, wordErrorMs: WORD_ERROR_MS }),
    timeline,
  );
const commit = (
  timeline: SpeechTimeline,
  entry = ENTRY,
  activityEndMs: number | null = COMMIT_MS,
  activityStartMs: number | null = 0,
) => commitWords(timeline, { entry, activityStartMs, activityEndMs });
const texts = (timeline: SpeechTimeline) => ({ entry: entryText(timeline, ENTRY), open: openText(timeline) });
const states = ({ segments }: SpeechTimeline) => segments.map(({ state }: SpeechSegment) => state);

describe('a segment', () => {
  it('has the words of its last revision', () => {
    const timeline = heard(
      NO_SPEECH,
      null,
      interim('I', 0, 300),
      interim('I want', 0, 600),
      final('I want it', 0, 900),
    );
    expect(timeline.segments).toMatchObject([{ number: 1, revision: 3, state: 'final', text: 'I want it' }]);
    expect(transcribedUntilMs(timeline)).toBe(900);
  });

  it('is revised although its times have shifted', () => {
    const shifted = heard(NO_SPEECH, null, interim('no', 1_000, 1_200), final('No.', 1_400, 1_600));
    expect(openText(shifted)).toBe('No.');
    const back = heard(NO_SPEECH, null, interim('no', 1_000, 1_200), final('No.', 600, 900));
    expect(openText(back)).toBe('No.');
  });

  it('is followed by another one if later words begin otherwise', () => {
    const timeline = heard(NO_SPEECH, null, interim('no', 1_000, 1_200), interim('wait', 1_400, 1_600));
    expect(openText(timeline)).toBe('no wait');
    expect(hasChangingWords(timeline)).toBe(true);
  });

  it('is followed by another one that overlaps it by an error of their times', () => {
    const two = (startMs: number) =>
      openText(heard(NO_SPEECH, null, interim('no', 0, 400), interim('wait', startMs, 600)));
    expect(two(300)).toBe('no wait');
    expect(two(199)).toBe('wait');
  });

  it('is another one if the same words come more than a second later', () => {
    expect(openText(heard(NO_SPEECH, null, interim('no', 0, 200), interim('no', 1_201, 1_400)))).toBe('no no');
  });

  it('keeps its place when its final comes after the interim of the next one', () => {
    const timeline = heard(NO_SPEECH, null, interim('yes', 2_000, 2_300), final('I want it', 0, 1_500));
    expect(openText(timeline)).toBe('I want it yes');
    const adjacent = heard(NO_SPEECH, null, interim('yes', 1_500, 1_800), final('I want it', 0, 1_500));
    expect(openText(adjacent)).toBe('I want it yes');
    expect(states(timeline)).toEqual(['final', 'open']);
  });

  it('without a final is withdrawn by the final of the next one', () => {
    expect(openText(heard(NO_SPEECH, null, interim('um', 0, 200), final('I want it', 2_000, 3_000)))).toBe('I want it');
  });

  it('is withdrawn by an empty text', () => {
    expect(heard(NO_SPEECH, null, interim('um', 0, 200), interim(' ', 0, 200)).segments).toEqual([]);
    expect(heard(NO_SPEECH, null, final('Yes', 0, 200), interim('', 0, 200)).segments).toHaveLength(1);
  });

  it('keeps its words when the transcriber reports no others', () => {
    const settled = settle(heard(NO_SPEECH, null, interim('yes', 0, 200)), 400);
    expect(openText(settled)).toBe('yes');
    expect(hasChangingWords(settled)).toBe(false);
    expect(transcribedUntilMs(settled)).toBe(400);
  });

  it('of a lost stream keeps its words if the next stream reports none', () => {
    const lost = loseStream(heard(NO_SPEECH, null, interim('I want', 0, 600)), 0);
    expect(openText(heard(lost, null, interim(' ', 0, 100)))).toBe('I want');
    expect(openText(heard(lost, null, interim('we want', 5_000, 5_600)))).toBe('we want');
  });

  it('begins with the first open word of all', () => {
    expect(openWordsStartMs(NO_SPEECH)).toBeNull();
    const two = heard(NO_SPEECH, null, final('Yes', 100, 200), interim('and', 300, 500));
    expect(openWordsStartMs(two)).toBe(100);
    const words = [{ text: 'Yes', startMs: 140, endMs: 200 }];
    expect(openWordsStartMs(heard(NO_SPEECH, null, { ...final('Yes', 100, 200), words }))).toBe(140);
  });

  it('ends with its last word', () => {
    expect(openWordsEndMs(NO_SPEECH)).toBeNull();
    expect(openWordsEndMs(heard(NO_SPEECH, null, final('Yes', 0, 200), interim('and', 300, 500)))).toBe(500);
    const words = [{ text: 'Yes', startMs: 0, endMs: 150 }];
    expect(openWordsEndMs(heard(NO_SPEECH, null, { ...final('Yes', 0, 200), words }))).toBe(150);
  });
});

describe('committed words', () => {
  const committed = commit(heard(NO_SPEECH, null, interim('I want a tabl', 0, COMMIT_MS)));

  it('get the spelling of their final', () => {
    expect(texts(heard(committed, null, final('I want a table.', 0, COMMIT_MS)))).toEqual({
      entry: 'I want a table.',
      open: '',
    });
  });

  it.each(['I want table', 'I would want a table', 'We want a tablet', 'a table'])('become «%s»', (text) => {
    expect(texts(heard(committed, null, final(text, 0, COMMIT_MS)))).toEqual({ entry: text, open: '' });
  });

  it('stay if their final is empty or their stream fails', () => {
    const remaining = { entry: 'I want a tabl', open: '' };
    expect(texts(heard(committed, null, final('', 0, COMMIT_MS)))).toEqual(remaining);
    expect(texts(loseStream(committed, 0))).toEqual(remaining);
    expect(states(loseStream(committed, 0))).toEqual(['lost']);
    expect(states(loseStream(committed, COMMIT_MS))).toEqual(['final']);
  });

  it('are extended by words that were spoken before the mark', () => {
    expect(texts(heard(committed, null, final('I want a table for', 0, COMMIT_MS + WORD_ERROR_MS)))).toEqual({
      entry: 'I want a table for',
      open: '',
    });
    expect(texts(heard(committed, null, final('for four', 400, COMMIT_MS + 400)))).toEqual({
      entry: 'for four',
      open: '',
    });
  });

  it('are not extended by words that were spoken after the mark', () => {
    const table = { entry: 'I want a table', open: 'for four' };
    expect(texts(heard(committed, null, final('I want a table for four', 0, COMMIT_MS + WORD_ERROR_MS + 1)))).toEqual(
      table,
    );
    // The user speaks again 600 ms later: words up to the middle are late.
    const activityMs = COMMIT_MS + 600;
    expect(texts(heard(committed, activityMs, final('I want a table for four', 0, 1_900)))).toEqual(table);
    expect(texts(heard(committed, activityMs, final('I want a table for four', 0, 1_300)))).toEqual({
      entry: 'I want a table for four',
      open: '',
    });
  });

  it('are separated from new ones by word times', () => {
    const revision = timed(final('I want a table for four', 0, 1_800));
    expect(texts(heard(committed, 1_600, revision))).toEqual({ entry: 'I want a table for', open: 'four' });
  });

  it('are never extended while the voice activity continues', () => {
    const speaking = commit(heard(NO_SPEECH, null, interim('I want', 0, COMMIT_MS)), ENTRY, null);
    expect(texts(heard(speaking, null, interim('I want it', 0, COMMIT_MS + 100)))).toEqual({
      entry: 'I want',
      open: 'it',
    });
  });

  it('stay committed if a final covers a part of them', () => {
    const long = commit(heard(NO_SPEECH, null, interim('I want a table for four', 0, 2_000)), ENTRY, 2_000);
    const part = heard(long, null, final('I want a table', 0, 1_400));
    expect(texts(part)).toEqual({ entry: 'I want a table for four', open: '' });
    expect(texts(heard(part, null, final('for five', 1_400, 2_000)))).toEqual({
      entry: 'I want a table for five',
      open: '',
    });
    // Words are missing that the final covers.
    expect(texts(heard(long, null, final('I want a table', 0, 1_850)))).toEqual({ entry: 'I want a table', open: '' });
  });

  it('take the words that their final adds to a part of them', () => {
    const long = commit(heard(NO_SPEECH, null, interim('I want a table for four', 0, 2_000)), ENTRY, 2_000);
    const part = heard(long, null, final('I want a table please', 0, 1_400));
    expect(texts(part)).toEqual({ entry: 'I want a table please for four', open: '' });
    expect(part.segments).toMatchObject([{ state: 'final' }, { state: 'open', startMs: 1_400, endMs: 2_000 }]);
  });

  it('take those words also if the user has gone on in the same interim', () => {
    const long = commit(heard(NO_SPEECH, null, interim('I want a table for', 0, 1_600)), ENTRY, 1_600);
    const more = heard(long, 3_000, interim('I want a table for four people', 0, 3_600));
    expect(texts(more)).toEqual({ entry: 'I want a table for', open: 'four people' });
    const part = heard(more, 3_000, final('I want a table please', 0, 1_400));
    expect(texts(part).entry).toBe('I want a table please for');
  });

  it('change only until their final, and do not include words of the open turn', () => {
    const count = (timeline: SpeechTimeline, sinceMs = 0) => changingCommittedWords(timeline, sinceMs).length;
    expect(count(committed)).toBe(1);
    expect(count(committed, COMMIT_MS)).toBe(0);
    expect(count(heard(committed, null, final('I want a table.', 0, COMMIT_MS)))).toBe(0);
    expect(count(heard(NO_SPEECH, null, interim('I want', 0, COMMIT_MS)))).toBe(0);
  });

  it('stay as long as late words can change the last turn of their final', () => {
    const two = heard(commit(heard(NO_SPEECH, null, interim('yes', 0, 400)), 0), 900, interim('yes no', 0, 1_200));
    let timeline = settle(commit(two, 1, 1_200, 900), 1_200);
    for (let turn = 2; turn <= AMENDABLE_TURNS_MAX; turn++) timeline = commit(timeline, turn);
    expect(entryText(timeline, 1)).toBe('no');
  });

  it('wait for their final, however many turns follow', () => {
    let timeline = committed;
    for (let turn = 1; turn <= AMENDABLE_TURNS_MAX; turn++) timeline = commit(timeline, ENTRY + turn);
    expect(openText(heard(timeline, null, final('I want a table.', 0, COMMIT_MS)))).toBe('');
  });

  it('remain separate if two turns share one segment', () => {
    const twice = commit(heard(committed, 1_800, interim('I want a table yes please', 0, 2_600)), 8, 2_600);
    const revised = heard(twice, null, final('I want the table, yes please do', 0, 2_700));
    expect(entryText(revised, ENTRY)).toBe('I want the table,');
    expect(entryText(revised, 8)).toBe('yes please do');
    expect(openText(revised)).toBe('');
    const later = heard(twice, 5_000, interim('I want a table yes please and two chairs', 0, 6_000));
    expect([entryText(later, ENTRY), entryText(later, 8), openText(later)]).toEqual([
      'I want a table',
      'yes please',
      'and two chairs',
    ]);
  });

  it('are forgotten once late words can no longer change them', () => {
    let timeline = NO_SPEECH;
    for (let turn = 0; turn <= AMENDABLE_TURNS_MAX; turn++) {
      const startMs = turn * 2_000;
      const next = heard(timeline, startMs, final(`Yes ${turn}.`, startMs, startMs + 400));
      timeline = commit(next, turn, startMs + 400, startMs);
      expect(timeline.segments).toHaveLength(Math.min(turn + 1, AMENDABLE_TURNS_MAX));
    }
    expect(timeline.segments[0]?.text).toBe('Yes 1.');
  });

  it('are open again when their turn is, and those of earlier turns stay', () => {
    const second = commit(heard(committed, 2_000, interim('I want a table yes please', 0, 2_600)), 8, 2_600, 2_000);
    const reopened = reopenWords(second, 8);
    expect(texts(reopened)).toEqual({ entry: 'I want a table', open: 'yes please' });
    expect(reopened.committed.map(({ entry }) => entry)).toEqual([ENTRY]);
  });
});

describe('late words of an earlier turn', () => {
  /** Two turns whose finals are still to come: 0–1 s, and 2–2.6 s. */
  const first = commit(heard(NO_SPEECH, 0, interim('I want a table', 0, COMMIT_MS)));
  const both = commit(heard(first, 2_000, interim('By the window', 2_000, 2_600)), 8, 2_600, 2_000);
  const entries = (timeline: SpeechTimeline) => [
    entryText(timeline, ENTRY),
    entryText(timeline, 8),
    openText(timeline),
  ];

  it.each([
    ['without word times', (revision: SpeechRevision) => revision],
    ['with word times', timed],
  ])('amend that turn, %s', (_, from) => {
    const revised = heard(both, null, from(final('I want no table at seven', 0, COMMIT_MS + 100)));
    expect(entries(revised)).toEqual(['I want no table at seven', 'By the window', '']);
    const complete = heard(revised, null, from(final('By the window, please.', 2_000, 2_900)));
    expect(entries(complete)).toEqual(['I want no table at seven', 'By the window, please.', '']);
  });

  it('amend it if they come in a separate final', () => {
    const finals = heard(first, null, final('I want a table', 0, 700));
    const second = commit(heard(finals, 2_000, final('By the window', 2_000, 2_600)), 8, 2_600, 2_000);
    const late = { ...final('at seven', 700, COMMIT_MS + 100) };
    expect(entries(heard(second, null, late))).toEqual(['I want a table at seven', 'By the window', '']);
  });

  it('are divided between the turns by word times', () => {
    const words = ['at', 'seven', 'by', 'the', 'window'].map((text, at) => {
      const startMs = at < 2 ? 1_000 + at * 150 : 2_000 + (at - 2) * 200;
      return { text, startMs, endMs: startMs + 150 };
    });
    const empty = commit(commit(NO_SPEECH, ENTRY, COMMIT_MS, 0), 8, 2_600, 2_000);
    const revised = heard(empty, null, { ...final('at seven by the window', 1_000, 2_600), words });
    expect(entries(revised)).toEqual(['at seven', 'by the window', '']);
  });
});

describe('words that a transcriber sends twice', () => {
  const once = heard(NO_SPEECH, null, final('I want a table', 0, COMMIT_MS));

  it.each([
    ['the same final', final('I want a table', 0, COMMIT_MS)],
    ['other punctuation', final('I want a table.', 50, COMMIT_MS + 50)],
    ['its end alone', final('a table', 500, COMMIT_MS)],
    ['an interim of it that comes too late', interim('I want', 0, 500)],
  ])('count once: %s', (_, revision) => {
    expect(heard(once, null, revision)).toBe(once);
    const committed = commit(once);
    expect(heard(committed, null, revision)).toBe(committed);
  });

  it('count once if two finals come again as one', () => {
    const two = heard(once, null, final('by the window', COMMIT_MS, 1_800));
    expect(openText(heard(two, null, final('I want a table by the window', 0, 1_800)))).toBe(
      'I want a table by the window',
    );
  });

  it.each([
    ['my number is seven two', 'My number is 7 2.'],
    ['my number is seven two', 'My number is 72.'],
    ['in the year twenty twenty six', 'In the year 2026.'],
  ])('count once in another notation: %s, %s', (text, again) => {
    const first = heard(NO_SPEECH, null, final(text, 500, 1_500));
    const second = final(again, 600, 1_500);
    expect(openText(heard(first, null, second))).toBe(again);
    const { entry, open } = texts(heard(commit(first), null, second));
    expect({ entry, open }).toEqual({ entry: again, open: '' });
    const next = heard(commit(first), null, final('by the window', 1_500, 2_500));
    expect(texts(heard(next, null, second))).toEqual({ entry: again, open: 'by the window' });
  });

  it('count twice if the user says them again', () => {
    const no = heard(NO_SPEECH, null, final('No.', 0, 300));
    expect(openText(heard(no, null, final('No.', 300, 600)))).toBe('No. No.');
    expect(openText(heard(no, null, final('No.', 250, 550)))).toBe('No. No.');
  });
});

describe('words that were counted for the open turn', () => {
  it('stay there when they are revised', () => {
    const committed = commit(heard(NO_SPEECH, null, final('Yes.', 0, COMMIT_MS)));
    const open = heard(committed, null, interim('and', 1_600, 1_900));
    expect(texts(heard(open, null, final('And', 1_200, 1_400)))).toEqual({ entry: 'Yes.', open: 'And' });
  });
});

describe('a lost stream', () => {
  const lost = loseStream(heard(NO_SPEECH, null, final('Yes.', 0, 500), interim('I want a', 600, 1_200)), 500);

  it('keeps its words until the next stream has words', () => {
    expect(openText(lost)).toBe('Yes. I want a');
    expect(openText(heard(lost, null, final('', 600, 700)))).toBe('Yes. I want a');
    expect(hasChangingWords(lost)).toBe(true);
  });

  it('keeps the words that the next stream has not repeated yet', () => {
    const want = loseStream(heard(NO_SPEECH, null, interim('I want a table', 600, 1_200)), 0);
    const repeated = heard(want, null, interim('I want', 600, 1_200));
    expect(openText(repeated)).toBe('I want a table');
    expect(repeated.segments).toMatchObject([{ state: 'open' }, { state: 'lost' }]);
    expect(openText(heard(repeated, null, interim('I want a chair', 600, 1_200)))).toBe('I want a chair');
    const sooner = heard(want, null, interim('I wanted', 600, 1_000));
    expect(openText(sooner)).toBe('I wanted a table');
    expect(sooner.segments[1]).toMatchObject({ startMs: 1_000, endMs: 1_200 });
    expect(openText(heard(want, null, interim('I need', 600, 1_200)))).toBe('I need');
  });

  it('has its words replaced by those of the next stream, whatever their times', () => {
    expect(openText(heard(lost, null, interim('one table', 5_000, 6_000)))).toBe('Yes. one table');
  });
});
