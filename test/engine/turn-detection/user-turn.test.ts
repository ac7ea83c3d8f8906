import { describe, expect, it } from 'vitest';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { Segment } from '../../../engine/core/state/playout-slice.ts';
import type { UserTurn } from '../../../engine/core/state/turn-detection-slice.ts';
import { SILENT_USER } from '../../../engine/core/state/turn-detection-slice.ts';
import {
  discardEchoInterim,
  discardNoise,
  onUserSpeech,
  resetCommittedTurn,
  resetUserTurn,
} from '../../../engine/turn-detection/user-turn.ts';
import { issuedCommands, ruleStep } from '../simulation/rule-step.ts';

const AT_MS = 5_000;

function afterEvent(userTurn: Partial<UserTurn>, event: CallEvent) {
  const step = ruleStep({ userTurn: { ...SILENT_USER, ...userTurn } }, AT_MS, event);
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
    expect(afterEvent({ endOfTurn: true, complete: true }, event).after).toMatchObject({
      speaking: true,
      startedUs: 3_000_000,
      endOfTurn: false,
      complete: false,
    });
    // Words of the earlier speech may still arrive.
    expect(afterEvent({ startedUs: 1_000_000 }, event).after.startedUs).toBe(1_000_000);
    expect(afterEvent({ startedUs: 1_000_000, finals: ['Yes'] }, event).after.startedUs).toBe(1_000_000);
    expect(afterEvent({ finals: ['Yes'] }, event).after.startedUs).toBe(3_000_000);
  });

  it('ends the speech at its own end, never later than now', () => {
    expect(afterEvent({ speaking: true }, { type: 'media.speech_stopped', audioMs: 4_000 }).after).toMatchObject({
      speaking: false,
      endedUs: 4_000_000,
    });
    expect(afterEvent({ speaking: true }, { type: 'media.speech_stopped', audioMs: 9_000 }).after.endedUs).toBe(
      5_000_000,
    );
  });
});

describe('interim words', () => {
  it('set the text, start and end of the turn', () => {
    expect(afterEvent({}, interim(' a table ', 2_000, 3_000)).after).toMatchObject({
      interim: { text: 'a table', endMs: 3_000 },
      startedUs: 2_000_000,
      endedUs: 3_000_000,
    });
  });

  it.each([
    // Activity that began more than 1.5 s before the first word was another sound.
    [500, 2_000, 500],
    [499, 2_000, 2_000],
  ])('after activity at %s ms that begin at %s ms start the turn at %s ms', (activityMs, startMs, expectedStartMs) => {
    const { after } = afterEvent({ startedUs: activityMs * 1000 }, interim('yes', startMs, 3_000));
    expect(after.startedUs).toBe(expectedStartMs * 1000);
  });

  it('can be withdrawn', () => {
    expect(afterEvent({ interim: { text: 'yes', endMs: 2_000 } }, interim('', 2_000, 3_000)).after.interim).toBeNull();
    expect(afterEvent({}, interim('', 2_000, 3_000)).after).toEqual(afterEvent({}, { type: 'control.ringing' }).after);
  });

  it('reopen a turn that was complete', () => {
    const complete = { finals: ['Yes'], endOfTurn: true, complete: true };
    expect(afterEvent(complete, interim('and', 3_000, 3_500)).after).toMatchObject({
      endOfTurn: false,
      complete: false,
    });
  });

  it('end the turn no earlier than the voice activity', () => {
    const { after } = afterEvent({ startedUs: 2_000_000, endedUs: 4_500_000 }, interim('yes', 2_000, 3_000));
    expect(after.endedUs).toBe(4_500_000);
  });

  it('of a committed turn are not repeated', () => {
    const committed = { committedUntilMs: 3_000 };
    expect(afterEvent(committed, interim('yes', 2_000, 3_000)).after.interim).toBeNull();
    const partlyCommitted = afterEvent(
      { ...committed, committedWords: 1 },
      interim('yes please do', 2_000, 3_500),
    ).after;
    expect(partlyCommitted.interim?.text).toBe('please do');
    expect(partlyCommitted.startedUs).toBe(3_000_000);
  });

  it('that begin at the end of a committed turn are all new', () => {
    const committed = { committedUntilMs: 3_000, committedWords: 2 };
    const { after } = afterEvent(committed, interim('yes please, do', 3_000, 3_500));
    expect(after).toMatchObject({ interim: { text: 'yes please, do' }, committedWords: 0 });
    expect(afterEvent(committed, interim('yes please, do', 2_999, 3_500)).after).toMatchObject({
      interim: { text: 'do' },
      committedWords: 2,
    });
  });
});

describe('final words', () => {
  it('are appended to earlier finals, and update the transcript', () => {
    const { after, entries } = afterEvent(
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

  it('span from their first word to their last one', () => {
    const words = [
      { text: 'a', startMs: 2_200, endMs: 2_300 },
      { text: 'b', startMs: 2_400, endMs: 2_500 },
      { text: 'c', startMs: 2_600, endMs: 2_700 },
    ];
    const event = { ...final('a b c', 2_000, 3_000), words };
    expect(afterEvent({}, event).after).toMatchObject({
      startedUs: 2_200_000,
      finalEndedUs: 2_700_000,
      finalUntilMs: 3_000,
    });
  });

  it('only advance the transcribed position if they are empty or late', () => {
    const emptyFinal = afterEvent({ interim: { text: 'yes', endMs: 2_500 } }, final('', 2_000, 3_000, true));
    expect(emptyFinal.after).toMatchObject({ finals: [], interim: null, finalUntilMs: 3_000, endOfTurn: true });
    expect(emptyFinal.entries).toEqual([]);
    expect(afterEvent({ endOfTurn: true }, final('', 2_000, 3_000)).after.endOfTurn).toBe(true);
    expect(afterEvent({}, final('', 2_000, 3_000)).after.endOfTurn).toBe(false);
    const lateEvent = afterEvent({ committedUntilMs: 3_000, finalUntilMs: 3_500 }, final('yes', 2_000, 3_000));
    expect(lateEvent.after).toMatchObject({ finals: [], finalUntilMs: 3_500 });
  });
});

describe('the words of a provider turn whose stream was lost', () => {
  const lost = { providerTurn: 'a table' };

  it('stay until a stream without turn detection has transcribed them again', () => {
    expect(afterEvent(lost, final('', 2_000, 3_000)).after.providerTurn).toBe('a table');
    expect(afterEvent(lost, final('A table for four.', 2_000, 3_000)).after).toMatchObject({
      providerTurn: null,
      finals: ['A table for four.'],
    });
  });
});

describe('final words that overlap a committed turn', () => {
  const committed = { committedUntilMs: 3_000, committedWords: 1 };

  it('are all new if a final has ended the committed words', () => {
    const words = [
      { text: 'One', startMs: 2_900, endMs: 3_200 },
      { text: 'two', startMs: 3_200, endMs: 3_600 },
    ];
    for (const event of [final('One two', 2_900, 3_600), { ...final('One two', 2_900, 3_600), words }]) {
      const { after } = afterEvent({ committedUntilMs: 3_000 }, event);
      expect(after).toMatchObject({ finals: ['One two'], startedUs: 3_000_000 });
    }
  });

  it('are separated by their times if they have any', () => {
    const words = [
      { text: 'one', startMs: 2_000, endMs: 2_500 },
      { text: 'two', startMs: 2_999, endMs: 3_200 },
      { text: 'three,', startMs: 3_000, endMs: 3_300 },
      { text: 'four', startMs: 3_300, endMs: 3_600 },
    ];
    const event = { ...final('one two three, four', 2_000, 3_600), words };
    expect(afterEvent(committed, event).after).toMatchObject({ finals: ['three, four'], committedWords: 0 });
  });

  it('are separated by their count otherwise, and new words stay unchanged', () => {
    expect(afterEvent(committed, final('«One» — two, three!', 2_000, 3_600)).after.finals).toEqual(['two, three!']);
    expect(afterEvent({ ...committed, committedWords: 7 }, final('One two', 2_000, 3_600)).after.finals).toEqual([]);
    expect(afterEvent(committed, final('One two', 3_000, 3_600)).after.finals).toEqual(['One two']);
  });
});

describe('an utterance end of the transcriber', () => {
  const event: CallEvent = { type: 'transcriber.utterance_end', lastWordEndMs: 3_000 };

  it('ends the turn only if it has words', () => {
    expect(afterEvent({ finals: ['Yes'] }, event).after.endOfTurn).toBe(true);
    expect(afterEvent({}, event).after.endOfTurn).toBe(false);
  });

  it('is unlike its speech event, which changes nothing', () => {
    const { after, entries } = afterEvent({ finals: ['Yes'] }, { type: 'transcriber.speech', audioMs: 3_000 });
    expect(after).toMatchObject({ speaking: false, startedUs: null, endOfTurn: false });
    expect(entries).toEqual([]);
  });
});

describe('a turn that the transcriber detects', () => {
  it('is complete only after its end', () => {
    const updated = afterEvent({ endOfTurn: true, complete: true }, turn('updated', 'a table', 2_000, 3_000));
    expect(updated.after).toMatchObject({ providerTurn: 'a table', finals: [], endOfTurn: false, complete: false });
    const ended = afterEvent({ providerTurn: 'a table' }, turn('ended', 'a table please', 2_000, 3_000));
    expect(ended.after).toMatchObject({
      providerTurn: null,
      finals: ['a table please'],
      endOfTurn: true,
      complete: true,
      finalUntilMs: 3_000,
    });
  });

  it('keeps its known words if its end has none', () => {
    expect(afterEvent({ providerTurn: 'a table' }, turn('ended', '', 2_000, 3_000)).after.finals).toEqual(['a table']);
    expect(afterEvent({}, turn('ended', '', 2_000, 3_000)).after).toMatchObject({ finals: [], complete: false });
    // The end without words may bear the times of the turn before.
    const afterCommit = { committedUntilMs: 3_000, providerTurn: 'a table' };
    expect(afterEvent(afterCommit, turn('ended', ' ', 2_000, 3_000)).after).toMatchObject({
      finals: ['a table'],
      complete: true,
    });
  });

  it('keeps its start and its end after an event without words', () => {
    const times = { startedUs: 2_500_000, endedUs: 2_800_000 };
    const event = turn('updated', ' ', 2_000, 3_000);
    expect(afterEvent({ ...times, providerTurn: 'a table' }, event).after).toMatchObject(times);
  });

  it('updates the transcript while it continues, and replaces interim words', () => {
    const turnWithInterim = { interim: { text: 'a', endMs: 2_500 } };
    const updated = afterEvent(turnWithInterim, turn('updated', 'a table', 2_000, 3_000));
    expect(updated.after).toMatchObject({
      interim: null,
      providerTurn: 'a table',
      startedUs: 2_000_000,
      endedUs: 3_000_000,
    });
    expect(updated.entries).toMatchObject([{ entry: { entry: { role: 'user', content: 'a table' } } }]);
    expect(afterEvent(turnWithInterim, turn('updated', ' ', 2_000, 3_000)).after).toMatchObject(turnWithInterim);
  });

  it('continues with its new words after a part was committed', () => {
    const committed = { committedUntilMs: 3_000, committedWords: 2 };
    const updated = afterEvent(committed, turn('updated', 'a table for four', 2_000, 3_600)).after;
    expect(updated).toMatchObject({ providerTurn: 'for four', committedWords: 2 });
    expect(afterEvent(committed, turn('updated', 'a table', 3_000, 3_600)).after).toMatchObject({
      providerTurn: 'a table',
      committedWords: 0,
    });
  });

  it('is not repeated after it was committed', () => {
    const committed = { committedUntilMs: 3_000 };
    const lateEvent = afterEvent({ ...committed, providerTurn: 'and' }, turn('ended', 'a table', 2_000, 3_000)).after;
    expect(lateEvent).toMatchObject({ providerTurn: 'and', finals: [] });
    expect(afterEvent(committed, turn('ended', 'a table', 2_000, 3_000)).after).toMatchObject({
      finals: [],
      complete: false,
    });
    expect(
      afterEvent({ ...committed, committedWords: 2 }, turn('ended', 'a table please', 2_000, 3_400)).after.finals,
    ).toEqual(['please']);
    // The provider found one more word in the committed audio.
    expect(
      afterEvent({ ...committed, committedWords: 1 }, turn('ended', 'a table', 2_000, 3_000)).after.finals,
    ).toEqual(['table']);
  });
});

describe('the reset of a turn', () => {
  const userTurn: Partial<UserTurn> = {
    speaking: true,
    startedUs: 1_000_000,
    endedUs: 2_000_000,
    finals: ['Yes'],
    finalEndedUs: 2_000_000,
    interim: { text: 'and now', endMs: 2_600 },
    finalUntilMs: 2_000,
  };
  const resetBy = (rule: typeof resetCommittedTurn) => {
    const step = ruleStep({ userTurn: { ...SILENT_USER, ...userTurn } }, AT_MS);
    rule(step);
    return step.context.userTurn;
  };

  it('keeps continuing activity, and the committed position', () => {
    const remaining = { ...SILENT_USER, speaking: true, finalUntilMs: 2_000 };
    expect(resetBy(resetUserTurn)).toEqual({ ...remaining, startedUs: 1_000_000 });
    expect(resetBy(discardNoise)).toEqual({ ...remaining, speaking: false });
    expect(resetBy(resetCommittedTurn)).toEqual({ ...remaining, committedUntilMs: 2_600, committedWords: 2 });
  });
});

describe('interim words that are the agent’s echo', () => {
  const PLAYED: Segment = {
    number: 1,
    item: 1,
    text: 'Tuesday morning',
    requestedUs: 1_000_000,
    voiceStartedUs: 1_500_000,
    durationMs: 1_500,
    words: [],
    playout: { startedUs: 2_000_000, playedMs: 0 },
    ended: true,
  };
  const ECHO: UserTurn = {
    ...SILENT_USER,
    speaking: true,
    startedUs: 2_000_000,
    endedUs: 3_000_000,
    interim: { text: 'tuesday morning', endMs: 3_000 },
  };

  function afterEcho(userTurn: UserTurn) {
    const step = ruleStep({ lastPlayedSegments: [PLAYED], userTurn }, AT_MS);
    return { discarded: discardEchoInterim(step), after: step.context.userTurn };
  }

  it('are discarded together with their sound, and their final will add nothing', () => {
    expect(afterEcho(ECHO)).toEqual({
      discarded: true,
      after: { ...SILENT_USER, committedUntilMs: 3_000, committedWords: 2 },
    });
  });

  it('stay if they are other words, or final', () => {
    const otherWords = { ...ECHO, interim: { text: 'tuesday evening', endMs: 3_000 } };
    expect(afterEcho(otherWords)).toEqual({ discarded: false, after: otherWords });
    const finalWords = { ...ECHO, interim: null, finals: ['Tuesday', 'morning.'] };
    expect(afterEcho(finalWords)).toEqual({ discarded: false, after: finalWords });
  });
});
