import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import type { WordsEvent } from '../../../engine/core/event.ts';
import { RuleStep } from '../../../engine/core/rule-step.ts';
import { withoutEcho } from '../../../engine/echo/echo-removal.ts';
import { recordTurn } from '../../../engine/metrics/record-turn.ts';
import { startReply } from '../../../engine/playout/reply.ts';
import type { TranscribedWord } from '../../../engine/ports/transcriber.ts';
import { ruleStep } from '../simulation/rule-step.ts';
import { CHARACTER_MS, PLAYOUT_START_MS, segmentOf, textOf, timed, UNKNOWN_DELAY_MS_MAX } from './heard-echo.ts';

/** The lag of two words of one echo differs by at most this. */
const LAG_STEP_MS_MAX = 1_000;
/** A misheard word differs from the others by at most this. */
const LAG_ERROR_MS = 200;
const DELAY_MS = 100;

/** The agent's text with the times of its words, and the same words as they are heard `lateMs` later. */
function spoken(text: string) {
  const { words = [] } = timed(text, 0);
  const segment = segmentOf(text, { words });
  const heard = (as: string, lateMs: (index: number) => number, from = 0) => {
    const places = words.slice(from);
    const parts = as.split(' ').map((word, index): TranscribedWord => {
      const place = places[index] ?? places[places.length - 1] ?? { startMs: 0, endMs: 0 };
      const shiftMs = PLAYOUT_START_MS + lateMs(index);
      return { text: word, startMs: place.startMs + shiftMs, endMs: place.endMs + shiftMs };
    });
    return { text: as, startMs: parts[0]?.startMs ?? 0, endMs: parts.at(-1)?.endMs ?? 0, words: parts };
  };
  return { segments: [segment], heard };
}

describe('a long echo', () => {
  const TEXT = 'we have a table for two near the window';
  const WORDS = TEXT.split(' ').length;
  const { segments, heard } = spoken(TEXT);
  const drifting = (byMs: number) =>
    textOf(
      heard(TEXT, (index) => (index < 4 ? DELAY_MS : DELAY_MS + byMs)),
      { segments },
    );

  it('goes on although its later words come later, up to the longest pause of playback', () => {
    expect(drifting(UNKNOWN_DELAY_MS_MAX)).toBe('');
    expect(drifting(LAG_STEP_MS_MAX)).toBe('');
    expect(drifting(LAG_STEP_MS_MAX + 1)).toBe(TEXT.split(' ').slice(4, WORDS).join(' '));
  });
});

describe('the last words of an echo', () => {
  const TEXT = 'the shop is open until ten';
  const FROM = 4;
  const { segments, heard } = spoken(TEXT);
  const lastWords = (lateMs: number) => heard('until ten', () => lateMs, FROM);

  it('are an echo after the end of the agent’s speech, as late as its delay allows', () => {
    expect(textOf(lastWords(UNKNOWN_DELAY_MS_MAX), { segments })).toBe('');
    expect(textOf(lastWords(900), { segments, delayMs: 900 })).toBe('');
    expect(textOf(lastWords(900), { segments })).toBe('until ten');
  });

  it('are an echo before an answer in the same final, others are not', () => {
    const answer = timed('that suits me', PLAYOUT_START_MS + TEXT.length * CHARACTER_MS + 400);
    const withAnswer = (words: ReturnType<typeof heard>) => ({
      text: `${words.text} ${answer.text}`,
      startMs: words.startMs,
      endMs: answer.endMs,
      words: [...words.words, ...(answer.words ?? [])],
    });
    expect(textOf(withAnswer(lastWords(DELAY_MS)), { segments })).toBe(answer.text);
    const middle = withAnswer(heard('shop is', () => DELAY_MS, 1));
    expect(textOf(middle, { segments })).toBe(`shop is ${answer.text}`);
  });
});

describe('a misheard word at the end', () => {
  const { segments, heard } = spoken('cancel the booking now');
  const misheard = (text: string, from: number, lateMs: number) =>
    textOf(
      heard(text, (index) => (index === text.split(' ').length - 1 ? DELAY_MS + lateMs : DELAY_MS), from),
      { segments },
    );

  it('belongs to an echo of three other words, if it has their delay', () => {
    expect(misheard('cancel the booking no', 0, 0)).toBe('');
    expect(misheard('cancel the booking no', 0, LAG_ERROR_MS)).toBe('');
    expect(misheard('cancel the booking no', 0, LAG_ERROR_MS + 1)).toBe('no');
  });

  it('belongs to no shorter echo', () => {
    expect(misheard('the booking no', 1, 0)).toBe('the booking no');
  });
});

describe('a word that is not complete yet', () => {
  const { segments, heard } = spoken('do you want to cancel the booking');
  const text = (as: string, from: number, type: 'interim' | 'final') =>
    textOf(
      heard(as, () => DELAY_MS, from),
      { segments, type },
    );

  it('is the last one of an interim', () => {
    expect(text('cancel the boo', 4, 'interim')).toBe('');
    expect(text('cancel the boo', 4, 'final')).toBe('cancel the boo');
    expect(text('can the booking', 4, 'interim')).toBe('can the booking');
  });
});

describe('the words that were taken out', () => {
  const TEXT = 'What is your name please?';
  const echo = { delayMs: DELAY_MS, learntUs: 0, activity: [] };

  /** The event after the echo was taken out of it. The call began `epochMs` before its audio. */
  function removed(event: WordsEvent, changes: Partial<CallContext> = {}, epochMs = 0) {
    const before = ruleStep({ lastPlayedSegments: [segmentOf(TEXT)], echo, ...changes });
    const { context } = before;
    startReply(before, null);
    recordTurn(context, before);
    const time = { atUs: 60_000_000, audioClock: { epochUs: epochMs * 1000, gaps: [] }, audioMs: 60_000 - epochMs };
    const step = new RuleStep({ ...before.context, reply: null }, { type: 'call.offered' }, time);
    return { event: withoutEcho(step, event), step };
  }
  const final = (text: string, startMs: number): WordsEvent => ({
    type: 'transcriber.final',
    ...{ words: [], ...timed(text, startMs) },
  });
  const counted = ({ step }: ReturnType<typeof removed>) => step.context.metrics.currentTurn?.echoWords;

  it('are counted once they are final', () => {
    const event = final('what is your name', PLAYOUT_START_MS + DELAY_MS);
    expect(counted(removed(event))).toBe(4);
    expect(counted(removed({ ...event, type: 'transcriber.interim' }))).toBe(0);
    expect(counted(removed(final('I would like a table', PLAYOUT_START_MS + 20_000)))).toBe(0);
  });

  it('are remembered if they repeat nothing, once they are final: the user’s speech may be reported later', () => {
    const misheard = final('butter soul gain fees', PLAYOUT_START_MS + DELAY_MS);
    expect(removed(misheard).event.text).toBe('');
    expect(removed(misheard).step.context.leftOut).toMatchObject([{ text: 'butter soul gain fees' }]);
    expect(removed({ ...misheard, type: 'transcriber.interim' }).step.context.leftOut).toEqual([]);
    const repeated = final('what is your name', PLAYOUT_START_MS + DELAY_MS);
    expect(removed(repeated).step.context.leftOut).toEqual([]);
  });

  it('leave the others with their times in the user’s audio', () => {
    const EPOCH_MS = 2_000;
    const before = timed('hello there', PLAYOUT_START_MS - 3_000 - EPOCH_MS);
    const repeated = timed('what is your name', PLAYOUT_START_MS + DELAY_MS - EPOCH_MS);
    const event: WordsEvent = {
      type: 'transcriber.final',
      text: `${before.text} ${repeated.text}`,
      startMs: before.startMs - 50,
      endMs: repeated.endMs + 50,
      words: [...(before.words ?? []), ...(repeated.words ?? [])],
    };
    expect(removed(event, {}, EPOCH_MS).event).toMatchObject({
      text: before.text,
      startMs: before.startMs - 50,
      endMs: before.endMs,
      words: before.words,
    });
  });

  it('are none while the agent was not heard', () => {
    const event = final('what is your name', PLAYOUT_START_MS + 30_000);
    expect(removed(event).event).toBe(event);
  });
});
