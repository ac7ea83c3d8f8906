import { describe, expect, it } from 'vitest';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { UserTurn } from '../../../engine/core/state/user-turn-slice.ts';
import { SILENT_USER } from '../../../engine/core/state/user-turn-slice.ts';
import {
  discardNoise,
  onUserSpeech,
  resetCommittedTurn,
  resetUserTurn,
} from '../../../engine/turn-detection/user-turn.ts';
import { issuedCommands, ruleStep } from '../simulation/rule-step.ts';

const AT_MS = 5_000;

function heard(caller: Partial<UserTurn>, event: CallEvent) {
  const step = ruleStep({ userTurn: { ...SILENT_USER, ...caller } }, AT_MS, event);
  onUserSpeech(step);
  return { after: step.context.userTurn, entries: issuedCommands(step) };
}

const span = (startMs: number, endMs: number) => ({ startMs, endMs });
const interim = (text: string, startMs: number, endMs: number): CallEvent => ({
  type: 'transcriber.interim',
  text,
  ...span(startMs, endMs),
});
const final = (text: string, startMs: number, endMs: number, endOfTurn = false): CallEvent => ({
  type: 'transcriber.final',
  text,
  words: [],
  ...span(startMs, endMs),
  endOfTurn,
});
const turn = (
  phase: Extract<CallEvent, { readonly type: 'transcriber.turn' }>['phase'],
  text: string,
  startMs: number,
  endMs: number,
): CallEvent => ({ type: 'transcriber.turn', phase, text, ...span(startMs, endMs) });

describe('voice activity', () => {
  it('begins a turn, unless one has begun', () => {
    const event: CallEvent = { type: 'media.speech_started', audioMs: 3_000 };
    expect(heard({ endOfTurn: true, complete: true }, event).after).toMatchObject({
      speaking: true,
      startedUs: 3_000_000,
      endOfTurn: false,
      complete: false,
    });
    // Of the one before words may still come.
    expect(heard({ startedUs: 1_000_000 }, event).after.startedUs).toBe(1_000_000);
    expect(heard({ startedUs: 1_000_000, finals: ['Yes'] }, event).after.startedUs).toBe(1_000_000);
    expect(heard({ finals: ['Yes'] }, event).after.startedUs).toBe(3_000_000);
  });

  it('that stops ends the speech there, and never later than now', () => {
    expect(heard({ speaking: true }, { type: 'media.speech_stopped', audioMs: 4_000 }).after).toMatchObject({
      speaking: false,
      endedUs: 4_000_000,
    });
    expect(heard({ speaking: true }, { type: 'media.speech_stopped', audioMs: 9_000 }).after.endedUs).toBe(5_000_000);
  });
});

describe('words that may still change', () => {
  it('are the turn’s, from their beginning to their end', () => {
    expect(heard({}, interim(' a table ', 2_000, 3_000)).after).toMatchObject({
      interim: { text: 'a table', endMs: 3_000 },
      startedUs: 2_000_000,
      endedUs: 3_000_000,
    });
  });

  it.each([
    // Activity so long before the first word was another sound.
    [500, 2_000, 500],
    [499, 2_000, 2_000],
  ])('that follow activity at %s ms and begin at %s begin at %s', (beganMs, startMs, thenMs) => {
    const { after } = heard({ startedUs: beganMs * 1000 }, interim('yes', startMs, 3_000));
    expect(after.startedUs).toBe(thenMs * 1000);
  });

  it('become none again', () => {
    expect(heard({ interim: { text: 'yes', endMs: 2_000 } }, interim('', 2_000, 3_000)).after.interim).toBeNull();
    expect(heard({}, interim('', 2_000, 3_000)).after).toEqual(heard({}, { type: 'control.ringing' }).after);
  });

  it('of a turn that was taken are not heard again', () => {
    const taken = { committedUntilMs: 3_000 };
    expect(heard(taken, interim('yes', 2_000, 3_000)).after.interim).toBeNull();
    const partly = heard({ ...taken, committedWords: 1 }, interim('yes please do', 2_000, 3_500)).after;
    expect(partly.interim?.text).toBe('please do');
    expect(partly.startedUs).toBe(3_000_000);
  });

  it('that begin where a taken turn ends are all new', () => {
    const taken = { committedUntilMs: 3_000, committedWords: 2 };
    const { after } = heard(taken, interim('yes please, do', 3_000, 3_500));
    expect(after).toMatchObject({ interim: { text: 'yes please, do' }, committedWords: 0 });
    expect(heard(taken, interim('yes please, do', 2_999, 3_500)).after).toMatchObject({
      interim: { text: 'do' },
      committedWords: 2,
    });
  });
});

describe('words that are final', () => {
  it('follow those before, and are told', () => {
    const { after, entries } = heard(
      { finals: ['A table'], startedUs: 1_000_000, interim: { text: 'for', endMs: 2_500 } },
      final('for four.', 2_000, 3_000, true),
    );
    expect(after).toMatchObject({
      finals: ['A table', 'for four.'],
      interim: null,
      finalEndedUs: 3_000_000,
      finalUntilMs: 3_000,
      endOfTurn: true,
    });
    expect(entries).toMatchObject([
      { type: 'journal.write', entry: { type: 'transcript', entry: { role: 'user', content: 'A table for four.' } } },
    ]);
  });

  it('end where their last word does, and begin where the first one does', () => {
    const words = [
      { text: 'a', startMs: 2_200, endMs: 2_300 },
      { text: 'b', startMs: 2_400, endMs: 2_700 },
    ];
    const event: CallEvent = { type: 'transcriber.final', text: 'a b', words, ...span(2_000, 3_000), endOfTurn: false };
    expect(heard({}, event).after).toMatchObject({
      startedUs: 2_200_000,
      finalEndedUs: 2_700_000,
      finalUntilMs: 3_000,
    });
  });

  it('and hold no word, or come late, say only how far the transcriber is', () => {
    const none = heard({ interim: { text: 'yes', endMs: 2_500 } }, final('', 2_000, 3_000, true));
    expect(none.after).toMatchObject({ finals: [], interim: null, finalUntilMs: 3_000, endOfTurn: true });
    expect(none.entries).toEqual([]);
    expect(heard({ endOfTurn: true }, final('', 2_000, 3_000)).after.endOfTurn).toBe(true);
    const late = heard({ committedUntilMs: 3_000, finalUntilMs: 3_500 }, final('yes', 2_000, 3_000));
    expect(late.after).toMatchObject({ finals: [], finalUntilMs: 3_500 });
  });
});

describe('words that are final, of which a taken turn had some', () => {
  const taken = { committedUntilMs: 3_000, committedWords: 1 };

  it('are told apart by their times, where they have any', () => {
    const words = [
      { text: 'one', startMs: 2_000, endMs: 2_500 },
      { text: 'two', startMs: 2_999, endMs: 3_200 },
      { text: 'three,', startMs: 3_000, endMs: 3_300 },
      { text: 'four', startMs: 3_300, endMs: 3_600 },
    ];
    const event = { ...final('one two three, four', 2_000, 3_600), words };
    expect(heard(taken, event).after).toMatchObject({ finals: ['three, four'], committedWords: 0 });
  });

  it('are told apart by their number else: of those that are new, none is changed', () => {
    expect(heard(taken, final('«One» — two, three!', 2_000, 3_600)).after.finals).toEqual(['two, three!']);
    expect(heard({ ...taken, committedWords: 7 }, final('One two', 2_000, 3_600)).after.finals).toEqual([]);
    expect(heard(taken, final('One two', 3_000, 3_600)).after.finals).toEqual(['One two']);
  });
});

describe('the transcriber’s own end of an utterance', () => {
  const event: CallEvent = { type: 'transcriber.utterance_end', lastWordEndMs: 3_000 };

  it('is the end of a turn that has words, and nothing else', () => {
    expect(heard({ finals: ['Yes'] }, event).after.endOfTurn).toBe(true);
    expect(heard({}, event).after.endOfTurn).toBe(false);
  });

  it('as its word that somebody speaks, tells nothing by itself', () => {
    const { after, entries } = heard({ finals: ['Yes'] }, { type: 'transcriber.speech', audioMs: 3_000 });
    expect(after).toMatchObject({ speaking: false, startedUs: null, endOfTurn: false });
    expect(entries).toEqual([]);
  });
});

describe('a turn that the transcriber detects', () => {
  it('goes on until it has ended, and is due then', () => {
    const going = heard({ endOfTurn: true, complete: true }, turn('updated', 'a table', 2_000, 3_000));
    expect(going.after).toMatchObject({ providerTurn: 'a table', finals: [], endOfTurn: false, complete: false });
    const ended = heard({ providerTurn: 'a table' }, turn('ended', 'a table please', 2_000, 3_000));
    expect(ended.after).toMatchObject({
      providerTurn: null,
      finals: ['a table please'],
      endOfTurn: true,
      complete: true,
      finalUntilMs: 3_000,
    });
  });

  it('that ends without words has those that were known', () => {
    expect(heard({ providerTurn: 'a table' }, turn('ended', '', 2_000, 3_000)).after.finals).toEqual(['a table']);
    expect(heard({}, turn('ended', '', 2_000, 3_000)).after).toMatchObject({ finals: [], complete: false });
  });

  it('is told while it goes on, and what was heard of it as a segment is part of it', () => {
    const segment = { interim: { text: 'a', endMs: 2_500 } };
    const going = heard(segment, turn('updated', 'a table', 2_000, 3_000));
    expect(going.after).toMatchObject({
      interim: null,
      providerTurn: 'a table',
      startedUs: 2_000_000,
      endedUs: 3_000_000,
    });
    expect(going.entries).toMatchObject([{ entry: { entry: { role: 'user', content: 'a table' } } }]);
    expect(heard(segment, turn('updated', ' ', 2_000, 3_000)).after).toMatchObject(segment);
  });

  it('goes on in words that are new where one was taken on its way', () => {
    const taken = { committedUntilMs: 3_000, committedWords: 2 };
    const going = heard(taken, turn('updated', 'a table for four', 2_000, 3_600)).after;
    expect(going).toMatchObject({ providerTurn: 'for four', committedWords: 2 });
    expect(heard(taken, turn('updated', 'a table', 3_000, 3_600)).after).toMatchObject({
      providerTurn: 'a table',
      committedWords: 0,
    });
  });

  it('and was taken is not heard again', () => {
    const taken = { committedUntilMs: 3_000 };
    const late = heard({ ...taken, providerTurn: 'and' }, turn('ended', 'a table', 2_000, 3_000)).after;
    expect(late).toMatchObject({ providerTurn: 'and', finals: [] });
    expect(heard(taken, turn('ended', 'a table', 2_000, 3_000)).after).toMatchObject({ finals: [], complete: false });
    expect(heard({ ...taken, committedWords: 2 }, turn('ended', 'a table please', 2_000, 3_400)).after.finals).toEqual([
      'please',
    ]);
  });
});

describe('what is left of a turn', () => {
  const spoken: Partial<UserTurn> = {
    speaking: true,
    startedUs: 1_000_000,
    endedUs: 2_000_000,
    finals: ['Yes'],
    finalEndedUs: 2_000_000,
    interim: { text: 'and now', endMs: 2_600 },
    finalUntilMs: 2_000,
  };
  const leftBy = (rule: typeof resetCommittedTurn) => {
    const step = ruleStep({ userTurn: { ...SILENT_USER, ...spoken } }, AT_MS);
    rule(step);
    return step.context.userTurn;
  };

  it('is the activity that goes on, and how far it was taken', () => {
    const kept = { ...SILENT_USER, speaking: true, finalUntilMs: 2_000 };
    expect(leftBy(resetUserTurn)).toEqual({ ...kept, startedUs: 1_000_000 });
    expect(leftBy(discardNoise)).toEqual({ ...kept, speaking: false });
    expect(leftBy(resetCommittedTurn)).toEqual({ ...kept, committedUntilMs: 2_600, committedWords: 2 });
  });
});
