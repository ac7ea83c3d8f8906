import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PROPERTY_TIMEOUT_MS, propertyRuns } from '../properties/property-runs.ts';
import {
  ANY_WORD,
  ERROR_MS,
  type Heard,
  joined,
  OWN_WORD,
  PLAYOUT_START_MS,
  segmentOf,
  textOf,
  timed,
  untimed,
} from './heard-echo.ts';

describe('other words on a line whose echo is known', () => {
  const segments = [segmentOf('What is your name please?')];
  const delayMs = 100;
  const misheard = timed('butter soul gain fees', PLAYOUT_START_MS + delayMs);
  const peter = timed('Peter', misheard.endMs + ERROR_MS - 50);
  const activity = [[peter.startMs, peter.endMs]] as const;

  it('are the agent’s up to a pause if the user did not speak', () => {
    expect(textOf(misheard, { segments, delayMs })).toBe('');
    expect(textOf(joined(misheard, peter), { segments, delayMs, activity })).toBe('butter soul gain fees Peter');
    const later = timed('Peter', misheard.endMs + 2 * ERROR_MS);
    const own = { segments, delayMs, activity: [[later.startMs, later.endMs]] as const };
    expect(textOf(joined(misheard, later), own)).toBe('Peter');
  });

  it('stay without times, or if a part of them is soft', () => {
    expect(textOf(untimed(joined(misheard, peter)), { segments, delayMs, activity })).toBe(
      'butter soul gain fees Peter',
    );
    const soft = timed('I would rather not say it', PLAYOUT_START_MS + 600);
    expect(textOf(soft, { segments, delayMs, activity: [[soft.endMs - 300, soft.endMs]] })).toBe(soft.text);
  });
});

describe('one or two words of an echo that is known, before the user’s', () => {
  const DELAY_MS = 100;
  /** The user’s speech is reported this much before the end of the agent’s last word. */
  const INTO_WORD_MS = 80;

  it.each(['Your', 'Your parcel'])(
    'are the agent’s, although the user’s speech reaches into the last one: %s',
    (words) => {
      const segments = [segmentOf('Your parcel left our warehouse yesterday')];
      const echo = timed(words, PLAYOUT_START_MS + DELAY_MS);
      const own = timed('Friday afternoon is fine', echo.endMs);
      const conditions = { segments, delayMs: DELAY_MS, activity: [[echo.endMs - INTO_WORD_MS, own.endMs]] as const };
      expect(textOf(joined(echo, own), conditions)).toBe(own.text);
    },
  );
});

describe('a misheard word within an echo that is known', () => {
  const TEXT = 'do you want to cancel the booking';
  const segments = [segmentOf(TEXT)];
  const DELAY_MS = 300;
  const echo = timed(TEXT, PLAYOUT_START_MS + DELAY_MS).words ?? [];
  const [, you = echo[0], want, to, cancel] = echo;
  /** «cancel» is heard as another word. */
  const words = echo.map((word) => (word === cancel ? { ...word, text: 'no' } : word));
  const heard: Heard = {
    text: words.map(({ text }) => text).join(' '),
    startMs: words[0]?.startMs ?? 0,
    endMs: words.at(-1)?.endMs ?? 0,
    words,
  };
  const textDuring = (from = cancel, until = from) =>
    textOf(heard, { segments, delayMs: DELAY_MS, activity: [[from?.startMs ?? 0, until?.endMs ?? 0]] });

  it('is the user’s if the user spoke during a part of it', () => {
    const middleMs = ((cancel?.startMs ?? 0) + (cancel?.endMs ?? 0)) / 2;
    expect(textDuring()).toBe('no');
    expect(textOf(heard, { segments, delayMs: DELAY_MS, activity: [[cancel?.startMs ?? 0, middleMs - 100]] })).toBe(
      'no',
    );
  });

  it('is the agent’s otherwise', () => {
    expect(textDuring(you, want)).toBe('you want');
    expect(textDuring(to)).toBe('to');
  });

  it('is the user’s without word times if the user spoke near it', () => {
    const conditions = (from = 0) => ({ segments, delayMs: DELAY_MS, activity: [[from, from + 200]] as const });
    expect(textOf(untimed(heard), conditions((cancel?.endMs ?? 0) + 100))).toBe('no');
    expect(textOf(untimed(heard), conditions((echo.at(-1)?.endMs ?? 0) + 300))).toBe('');
  });
});

describe('any words of the user over an echo that is known', () => {
  /** How a transcriber writes a word that it did not understand. */
  const MISHEARD = 'quorum';
  const pauseMs = fc.integer({ min: 0, max: 600 });

  it(
    'stay, even if they repeat the agent’s, and no word of the agent does',
    () => {
      const anyOverlap = fc.record({
        spoken: fc.uniqueArray(ANY_WORD, { minLength: 3, maxLength: 10 }),
        misheard: fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 2 }),
        said: fc.array(fc.record({ word: fc.oneof(ANY_WORD, OWN_WORD, fc.constantFrom('no', 'a')), pauseMs }), {
          minLength: 1,
          maxLength: 5,
        }),
        delayMs: fc.constantFrom(0, 80, 300, 500, 750, 900),
        startMs: fc.integer({ min: PLAYOUT_START_MS - 500, max: PLAYOUT_START_MS + 4_500 }),
        type: fc.constantFrom('final' as const, 'interim' as const),
      });
      fc.assert(
        fc.property(anyOverlap, ({ spoken, misheard, said, delayMs, startMs, type }) => {
          let atMs = startMs;
          const own = said.map(({ word, pauseMs }) => {
            const { endMs } = timed(word, atMs + pauseMs);
            const spokenWord = { text: word, startMs: atMs + pauseMs, endMs };
            atMs = endMs + 1;
            return spokenWord;
          });
          const activity = own.map(({ startMs, endMs }) => [startMs, endMs] as const);
          // The transcriber hears the user, whose voice is the louder one.
          const echo = (timed(spoken.join(' '), PLAYOUT_START_MS + delayMs).words ?? [])
            .map((word, at) => (misheard.includes(at) ? { ...word, text: MISHEARD } : word))
            .filter((word) => !activity.some(([from, until]) => word.startMs <= until && word.endMs >= from));
          const words = [...echo, ...own].toSorted((a, b) => a.startMs - b.startMs);
          const text = words.map(({ text }) => text).join(' ');
          const heard = { text, startMs: words[0]?.startMs ?? 0, endMs: words.at(-1)?.endMs ?? 0, words };
          const left = textOf(heard, { segments: [segmentOf(spoken.join(' '))], delayMs, activity, type });
          // A misheard word so near to the user's may be theirs.
          expect(left.split(' ').filter((word) => word !== MISHEARD)).toEqual(own.map(({ text }) => text));
        }),
        { numRuns: propertyRuns(100) },
      );
    },
    PROPERTY_TIMEOUT_MS,
  );
});
