import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TranscribedWord } from '../../../engine/ports/transcriber.ts';
import type { SpokenWord } from '../../../engine/ports/voice.ts';
import { PROPERTY_TIMEOUT_MS, propertyRuns } from '../properties/property-runs.ts';
import {
  ANY_WORD,
  CHARACTER_MS,
  type Conditions,
  ERROR_MS,
  type Heard,
  joined,
  OWN_WORD,
  PLAYOUT_START_MS,
  segmentOf,
  textOf,
  timed,
  UNKNOWN_DELAY_MS_MAX,
  untimed,
  wordsOfUser,
} from './heard-echo.ts';

describe('the time of an echo', () => {
  const TEXT = 'Monday, or perhaps Tuesday morning, then';
  const DURATION_MS = 4_000;
  const WORD_TIMES: readonly SpokenWord[] = ['Monday', 'or', 'perhaps', 'Tuesday', 'morning', 'then'].map(
    (text, index) => ({ text, startMs: 200 + index * 1_000, endMs: 1_200 + index * 1_000 }),
  );
  const reported = segmentOf(TEXT, { durationMs: 6_400, words: WORD_TIMES });

  /** The first and the last time at which words that begin there count as an echo. */
  function echoWindow(text: string, conditions: Conditions): readonly number[] {
    const times = Array.from({ length: 900 }, (_, at) => 8_000 + at * 10).filter((startMs) => {
      const words = text.split(' ').map((word, index) => {
        const fromMs = startMs + index * 1_000;
        return { text: word, startMs: fromMs, endMs: fromMs + 500 };
      });
      return textOf({ text, startMs, endMs: words.at(-1)?.endMs ?? startMs, words }, conditions) === '';
    });
    return times.length === 0 ? [] : [times[0] ?? 0, times.at(-1) ?? 0];
  }

  it('reaches from the transcriber’s error before a word to half a second after it while no delay is known', () => {
    const saidMs = PLAYOUT_START_MS + 2_200;
    expect(echoWindow('perhaps Tuesday', { segments: [reported] })).toEqual([
      saidMs - ERROR_MS,
      saidMs + UNKNOWN_DELAY_MS_MAX,
    ]);
  });

  it.each([0, 100, 750])('moves with both bounds by a known delay of %s ms', (delayMs) => {
    const saidMs = PLAYOUT_START_MS + 2_200 + delayMs;
    // Too short for words, and never so far from them that these have no near-end speech.
    const activity = Array.from({ length: 30 }, (_, at) => [7_000 + at * 400, 7_100 + at * 400] as const);
    expect(echoWindow('perhaps Tuesday', { segments: [reported], delayMs, activity })).toEqual([
      saidMs - ERROR_MS,
      saidMs + ERROR_MS,
    ]);
  });

  it('widens with the error of estimated times, which is zero at the ends of a segment', () => {
    const estimated = segmentOf('Monday or Tuesday', { durationMs: DURATION_MS });
    expect(echoWindow('Monday', { segments: [estimated], type: 'interim' })).toEqual([
      PLAYOUT_START_MS - ERROR_MS,
      PLAYOUT_START_MS + UNKNOWN_DELAY_MS_MAX,
    ]);
    const share = 'Monday or '.length / 'Monday or Tuesday'.length;
    const errorMs = 0.1 * 4 * share * (1 - share) * DURATION_MS;
    const [from = 0, until = 0] = echoWindow('Tuesday', { segments: [estimated], type: 'interim' });
    expect(from).toBeCloseTo(PLAYOUT_START_MS + share * DURATION_MS - ERROR_MS - errorMs, -1.5);
    expect(until).toBeCloseTo(PLAYOUT_START_MS + share * DURATION_MS + UNKNOWN_DELAY_MS_MAX + errorMs, -1.5);
  });

  it('is earlier by the pause for words that were played before the pause', () => {
    const pauses = [{ untilUs: (PLAYOUT_START_MS + 1_400) * 1000, durationUs: 500_000 }];
    const paused = { ...reported, playout: { startedUs: PLAYOUT_START_MS * 1000, startMs: 0, pauses } };
    const [before] = echoWindow('or', { segments: [paused], type: 'interim' });
    const [after] = echoWindow('perhaps', { segments: [paused], type: 'interim' });
    expect(before).toBe(PLAYOUT_START_MS + 1_200 - 500 - ERROR_MS);
    expect(after).toBe(PLAYOUT_START_MS + 2_200 - ERROR_MS);
  });

  it('is never that of a segment that was not played', () => {
    expect(echoWindow('perhaps Tuesday', { segments: [{ ...reported, playout: null }] })).toEqual([]);
  });
});

/** A question, the user's answer, and what the user says before the question. */
const CONVERSATIONS = [
  ['en', 'Do you want to cancel it?', 'no', 'one moment please'],
  ['en', 'Is that correct?', 'yes', 'thank you'],
  ['en', 'Would you like Tuesday or Wednesday?', 'Tuesday', 'hello there'],
  ['de', 'Möchten Sie den Termin wirklich absagen?', 'nein', 'einen Moment bitte'],
  ['de', 'Passt es Ihnen am Dienstag oder am Mittwoch?', 'am Mittwoch', 'guten Tag'],
  ['es', '¿Quiere usted cancelar la reserva?', 'no', 'un momento por favor'],
  ['es', '¿Prefiere el martes o el miércoles?', 'el martes', 'buenos días'],
  ['fr', 'Souhaitez-vous vraiment annuler votre rendez-vous ?', 'oui', 'un instant'],
  ['fr', 'C’est à quel nom la réservation ?', 'Dupont', 'bonjour madame'],
  ['it', 'Vuole davvero cancellare la prenotazione?', 'sì', 'un attimo'],
  ['it', 'Per quante persone devo prenotare?', 'per quattro', 'buongiorno'],
  ['nl', 'Wilt u de afspraak echt annuleren?', 'nee', 'een moment'],
  ['nl', 'Komt het u dinsdag of woensdag uit?', 'dinsdag', 'goedemiddag'],
  ['pt', 'O senhor quer mesmo cancelar a reserva?', 'não', 'um momento'],
  ['pt', 'Prefere na terça ou na quarta?', 'na quarta', 'bom dia'],
] as const;

describe.each(CONVERSATIONS)('in %s, the echo of «%s»', (_, question, answer, before) => {
  const segments = [segmentOf(question)];
  const endMs = PLAYOUT_START_MS + question.length * CHARACTER_MS;
  const asHeard = question.toLowerCase().replace(/[¿?]/g, '').replace(/\s+/g, ' ').trim();

  describe.each([
    ['an unknown delay', null, 100],
    ['a known short delay', 100, 100],
    ['a known long delay', 750, 750],
  ] as const)('on a line with %s', (_, delayMs, lateMs) => {
    const echo = timed(asHeard, PLAYOUT_START_MS + lateMs);
    // The user answers once the echo is over, or right after the question.
    const answered = timed(answer, Math.max(endMs + 350, echo.endMs + 250));
    const beforeIt = timed(before, PLAYOUT_START_MS - 1_600);
    const activity = [
      [beforeIt.startMs, beforeIt.endMs],
      [answered.startMs, answered.endMs],
    ] as const;
    const conditions: Conditions = { segments, delayMs, activity };

    it.each(['final', 'interim'] as const)('leaves nothing of itself in its own %s', (type) => {
      expect(textOf(echo, { ...conditions, type, activity: [] })).toBe('');
      expect(textOf(untimed(echo), { ...conditions, type, activity: [] })).toBe('');
    });

    it('leaves the answer after it', () => {
      const heard = joined(echo, answered);
      expect(wordsOfUser(heard, conditions)).toMatchObject({
        text: answer,
        startMs: answered.startMs,
        words: answered.words,
      });
      expect(textOf(untimed(heard), conditions)).toBe(answer);
    });

    it('leaves the answer in a separate final', () => {
      expect(textOf(answered, conditions)).toBe(answer);
      expect(textOf(untimed(answered), conditions)).toBe(answer);
    });

    it('leaves the words before it, and those on both sides of it', () => {
      expect(textOf(joined(beforeIt, echo), conditions)).toBe(before);
      expect(textOf(joined(beforeIt, echo, answered), conditions)).toBe(`${before} ${answer}`);
    });

    it('leaves the answer in whatever place a transcriber divides it', () => {
      const words = joined(echo, answered).words ?? [];
      for (let count = 2; count < words.length - 1; count++) {
        const parts = [words.slice(0, count), words.slice(count)].map((part) => ({
          text: part.map(({ text }) => text).join(' '),
          startMs: part[0]?.startMs ?? 0,
          endMs: part.at(-1)?.endMs ?? 0,
          words: part,
        }));
        const left = parts.map((part) => textOf(part, conditions)).join(' ');
        expect(left.endsWith(answer)).toBe(true);
      }
    });
  });
});

describe('an echo with words that were transcribed as others', () => {
  const QUESTION = 'do you want to cancel the booking';
  const segments = [segmentOf(QUESTION)];
  const LATE_MS = 100;
  const said = timed(QUESTION, PLAYOUT_START_MS + LATE_MS).words ?? [];
  /** The question as it is heard: each word has the time of its place. */
  const heardAs = (text: string, places = said): Heard => {
    const words = text.split(' ').map((word, at) => ({ ...(places[at] ?? said[0]), text: word }) as TranscribedWord);
    return { text, startMs: words[0]?.startMs ?? 0, endMs: words.at(-1)?.endMs ?? 0, words };
  };

  it.each([
    ['at its beginning', 'to you want to cancel the booking'],
    ['in its middle', 'do you want to counsel the booking'],
    ['at its end', 'do you want to cancel the book'],
    ['twice', 'to you want to cancel the book'],
  ])('is recognised %s', (_, text) => {
    expect(textOf(heardAs(text), { segments })).toBe('');
    expect(textOf(untimed(heardAs(text)), { segments })).toBe('');
  });

  it('is recognised with two others in a row', () => {
    const question = 'do you really want to cancel your booking for a table on Friday';
    const words = timed(question, PLAYOUT_START_MS + LATE_MS).words ?? [];
    const heard = heardAs('do you really won two cancel your booking for a table on Friday', words);
    expect(textOf(heard, { segments: [segmentOf(question)] })).toBe('');
  });

  it.each(['', 'once more please'])('leaves the words after one that was misheard in its middle: «%s»', (answer) => {
    const echo = heardAs('do you want to counsel the booking');
    const following = timed(answer, echo.endMs + 1_000);
    const event = answer === '' ? echo : joined(echo, following);
    expect(wordsOfUser(event, { segments })).toMatchObject({
      text: answer,
      words: answer === '' ? [] : following.words,
    });
  });

  it('may end within a word of an interim', () => {
    expect(textOf(heardAs('do you want to can'), { segments, type: 'interim' })).toBe('');
    expect(textOf(heardAs('do you can'), { segments, type: 'interim' })).toBe('do you can');
  });

  it('leaves the end of the event to an answer that is its last word', () => {
    const no = timed('nine', (said.at(-1)?.endMs ?? 0) + 1_000);
    const event = joined(heardAs(QUESTION), { ...no, endMs: no.endMs + 300 });
    expect(wordsOfUser(event, { segments })).toMatchObject({ text: 'nine', endMs: no.endMs + 300 });
    const before = timed('nine', PLAYOUT_START_MS - 2_000);
    expect(wordsOfUser(joined(before, heardAs(QUESTION)), { segments })).toMatchObject({
      text: 'nine',
      endMs: before.endMs,
    });
  });

  it('does not cover an answer in place of its last word', () => {
    const cut = heardAs('do you want to cancel the');
    const no = timed('no', (said.at(-1)?.endMs ?? 0) + 250);
    expect(textOf(joined(cut, no), { segments })).toBe('no');
    expect(textOf(untimed(joined(cut, no)), { segments })).toBe('no');
  });

  it.each([
    [
      'with a word that the agent says later',
      'my name is Anna Schneider',
      'I can offer you a table, and our kitchen is open',
    ],
    ['with none of its words', 'stop I do not want that', 'I can offer you a table for two near the window'],
  ])('does not reach into an answer after it %s', (_, answer, text) => {
    const echo = timed('I can offer you a table', PLAYOUT_START_MS + LATE_MS);
    const heard = joined(echo, timed(answer, echo.endMs + 60));
    expect(textOf(heard, { segments: [segmentOf(text)] })).toBe(answer);
    expect(textOf(untimed(heard), { segments: [segmentOf(text)] })).toBe(answer);
  });

  it('does not cover a word of the user between two words of the echo', () => {
    const places = [...said.slice(0, 4), { text: '', startMs: said[3]?.endMs ?? 0, endMs: said[4]?.startMs ?? 0 }];
    const heard = heardAs('do you want to no cancel the booking', [...places, ...said.slice(4)] as TranscribedWord[]);
    expect(textOf(heard, { segments })).toBe('no');
  });
});

describe('words of the user that repeat the agent’s', () => {
  const segments = [segmentOf('Shall we say Tuesday morning?')];
  const repeated = timed('Tuesday morning', PLAYOUT_START_MS + 1_500);
  const spoken = [repeated.startMs, repeated.endMs] as const;
  const delayMs = 700;

  it('stay without word times if there was near-end speech during half of them', () => {
    const middleMs = (spoken[0] + spoken[1]) / 2;
    const textDuring = (untilMs: number) =>
      textOf(untimed(repeated), { segments, delayMs, activity: [[spoken[0], untilMs]] });
    expect(textDuring(spoken[1])).toBe('Tuesday morning');
    expect(textDuring(middleMs)).toBe('Tuesday morning');
    expect(textDuring(middleMs - 10)).toBe('');
  });

  describe('stay after an echo', () => {
    const echo = timed('shall we say', PLAYOUT_START_MS + delayMs);
    const own = timed('Tuesday morning', echo.endMs + 60);
    const [tuesday = own, morning = own] = own.words ?? [];
    const textDuring = (fromMs: number, untilMs: number) =>
      textOf(joined(echo, own), { segments, delayMs, activity: [[fromMs, untilMs]] });

    it('if there was near-end speech during half of each', () => {
      const halfMs = (morning.startMs + morning.endMs) / 2;
      expect(textDuring(tuesday.startMs, morning.endMs)).toBe('Tuesday morning');
      expect(textDuring(tuesday.startMs, halfMs)).toBe('Tuesday morning');
      expect(textDuring(tuesday.startMs, halfMs - 10)).toBe('Tuesday');
    });

    it('one by one', () => {
      expect(textDuring(tuesday.startMs, tuesday.endMs)).toBe('Tuesday');
      expect(textDuring(morning.startMs, morning.endMs)).toBe('morning');
    });

    it('if the transcriber gives a word no length', () => {
      const point = { ...morning, endMs: morning.startMs };
      const heard = joined(echo, { text: point.text, startMs: point.startMs, endMs: point.endMs, words: [point] });
      expect(textOf(heard, { segments, delayMs, activity: [[morning.startMs - 100, morning.endMs]] })).toBe('morning');
    });
  });

  it('are an echo if the activity began before the echo was learnt', () => {
    expect(textOf(repeated, { segments, delayMs, activity: [spoken], learntMs: spoken[0] })).toBe('Tuesday morning');
    expect(textOf(repeated, { segments, delayMs, activity: [spoken], learntMs: spoken[0] + 1 })).toBe('');
  });

  it('stay if two of them are among others by chance', () => {
    const segment = segmentOf('How can I help you today?');
    const barge = timed('can I get a table', PLAYOUT_START_MS + 300);
    expect(textOf(barge, { segments: [segment] })).toBe('can I get a table');
  });

  it('stay if a single one is the whole answer', () => {
    const one = timed('morning', PLAYOUT_START_MS + 1_300);
    expect(textOf(one, { segments })).toBe('morning');
    expect(textOf(one, { segments, type: 'interim' })).toBe('');
  });
});

describe('any words of the user around any echo', () => {
  it(
    'stay, and nothing of the echo does',
    () => {
      const anyConversation = fc.record({
        spoken: fc.uniqueArray(ANY_WORD, { minLength: 3, maxLength: 10 }),
        before: fc.array(OWN_WORD, { maxLength: 4 }),
        after: fc.array(OWN_WORD, { maxLength: 4 }),
        delayMs: fc.constantFrom(0, 80, 300, 500, 750, 900),
        isLearnt: fc.boolean(),
        pauseMs: fc.integer({ min: 150, max: 900 }),
        isFinal: fc.boolean(),
      });
      fc.assert(
        fc.property(anyConversation, ({ spoken, before, after, delayMs, isLearnt, pauseMs, isFinal }) => {
          const text = spoken.join(' ');
          // A late echo that is not learnt yet cannot be distinguished from an answer.
          fc.pre(isLearnt || delayMs <= 300);
          const echo = timed(text, PLAYOUT_START_MS + delayMs);
          const first = timed(before.join(' '), 0);
          const earlier = timed(before.join(' '), echo.startMs - pauseMs - first.endMs);
          const later = timed(after.join(' '), echo.endMs + pauseMs);
          const parts = [...(before.length > 0 ? [earlier] : []), echo, ...(after.length > 0 ? [later] : [])];
          const own = parts.filter((part) => part !== echo);
          const heard = textOf(joined(...parts), {
            segments: [segmentOf(text)],
            delayMs: isLearnt ? delayMs : null,
            activity: own.map(({ startMs, endMs }) => [startMs, endMs]),
            type: isFinal ? 'final' : 'interim',
          });
          expect(heard).toBe([...before, ...after].join(' '));
        }),
        { numRuns: propertyRuns(500) },
      );
    },
    PROPERTY_TIMEOUT_MS,
  );
});
