import { describe, expect, it } from 'vitest';
import type { CallEvent } from '../../../engine/core/event.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import type { LastTurn, UserTurn } from '../../../engine/core/state/turn-detection-slice.ts';
import { SILENT_USER } from '../../../engine/core/state/turn-detection-slice.ts';
import type { TranscribedWord } from '../../../engine/ports/transcriber.ts';
import { userTurnText } from '../../../engine/transcript/user-turn-text.ts';
import {
  discardNoise,
  onUserSpeech,
  resetCommittedTurn,
  resetUserTurn,
} from '../../../engine/turn-detection/user-turn.ts';
import { commitWords } from '../../../engine/user-speech/commit-mark.ts';
import { hasChangingWords } from '../../../engine/user-speech/open-speech.ts';
import { issuedCommands, ruleStep } from '../simulation/rule-step.ts';
import { speechOf } from '../simulation/speech.ts';

const AT_MS = 5_000;

function afterEvent(userTurn: Partial<UserTurn>, event: CallEvent, lastTurn: LastTurn | null = null) {
  const step = ruleStep({ userTurn: { ...SILENT_USER, ...userTurn }, lastTurn }, AT_MS, event);
  onUserSpeech(step);
  const after = step.context.userTurn;
  return { after, text: userTurnText(after), isFinal: !hasChangingWords(after.speech), entries: issuedCommands(step) };
}

const span = (startMs: number, endMs: number) => ({ startMs, endMs });
const interim = (text: string, startMs: number, endMs: number): CallEvent => ({
  type: 'transcriber.interim',
  text,
  ...span(startMs, endMs),
});
const final = (text: string, startMs: number, endMs: number, words: readonly TranscribedWord[] = []): CallEvent => ({
  type: 'transcriber.final',
  text,
  words,
  ...span(startMs, endMs),
});
const turn = (
  phase: Extract<CallEvent, { readonly type: 'transcriber.turn' }>['phase'],
  text: string,
  startMs: number,
  endMs: number,
): CallEvent => ({ type: 'transcriber.turn', phase, text, ...span(startMs, endMs) });

const YES = speechOf({ finals: ['Yes'] });
/** The speech after the words «yes please» were committed at 3 s, while they were an interim. */
const COMMITTED = commitWords(speechOf({ interim: 'yes please', interimEndMs: 3_000 }), {
  entry: 7,
  activityStartMs: 2_000,
  activityEndMs: 3_000,
});
const LAST_TURN: LastTurn = {
  entry: { sequence: 7, startUs: 2_000_000 },
  endUs: 3_000_000,
  item: null,
  text: 'yes please',
};

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
    expect(afterEvent({ startedUs: 1_000_000, speech: YES }, event).after.startedUs).toBe(1_000_000);
    expect(afterEvent({ speech: YES }, event).after.startedUs).toBe(3_000_000);
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
    const { after, text, isFinal } = afterEvent({}, interim(' a table ', 2_000, 3_000));
    expect({ text, isFinal }).toEqual({ text: 'a table', isFinal: false });
    expect(after).toMatchObject({ startedUs: 2_000_000, endedUs: 3_000_000 });
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
    const speech = speechOf({ interim: 'yes', interimEndMs: 2_500 });
    expect(afterEvent({ speech }, interim('', 2_000, 3_000)).text).toBe('');
    expect(afterEvent({}, interim('', 2_000, 3_000)).after).toEqual(afterEvent({}, { type: 'control.ringing' }).after);
  });

  it('continue a turn that was complete', () => {
    const complete = { speech: YES, endOfTurn: true, complete: true };
    expect(afterEvent(complete, interim('and', 3_000, 3_500)).after).toMatchObject({
      endOfTurn: false,
      complete: false,
    });
  });

  it('end the turn no earlier than the voice activity', () => {
    const { after } = afterEvent({ startedUs: 2_000_000, endedUs: 4_500_000 }, interim('yes', 2_000, 3_000));
    expect(after.endedUs).toBe(4_500_000);
  });

  it('of a committed turn add nothing to the next one', () => {
    const complete = { speech: COMMITTED, endOfTurn: true, complete: true };
    const { after, text } = afterEvent(complete, interim('yes please', 2_000, 3_000));
    expect(text).toBe('');
    expect(after).toMatchObject({ startedUs: null, endedUs: null, endOfTurn: true, complete: true });
  });

  it('that go on after a committed turn begin the next one', () => {
    const { after, text } = afterEvent({ speech: COMMITTED }, interim('yes please do it', 2_000, 4_500));
    expect(text).toBe('do it');
    expect(after).toMatchObject({ startedUs: 3_000_000, endedUs: 4_500_000 });
  });
});

describe('final words', () => {
  it('are appended to earlier finals, and update the transcript', () => {
    const speech = speechOf({ finals: ['A table'], interim: 'for', interimEndMs: 2_500 });
    const { after, text, entries } = afterEvent({ speech, startedUs: 1_000_000 }, final('for four.', 2_000, 3_000));
    expect(text).toBe('A table for four.');
    expect(after).toMatchObject({ endOfTurn: false, speech: { finalUntilMs: 3_000 } });
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
    const { after } = afterEvent({}, final('a b c', 2_000, 3_000, words));
    expect(after).toMatchObject({ startedUs: 2_200_000, endedUs: 2_700_000, speech: { finalUntilMs: 3_000 } });
  });

  it('only advance the transcribed position if they are empty', () => {
    const speech = speechOf({ interim: 'yes', interimEndMs: 2_500 });
    const emptyFinal = afterEvent({ speech }, final('', 2_000, 3_000));
    expect(emptyFinal.text).toBe('');
    expect(emptyFinal.after).toMatchObject({ endOfTurn: false, speech: { finalUntilMs: 3_000 } });
    expect(emptyFinal.entries).toEqual([]);
    expect(afterEvent({ endOfTurn: true }, final('', 2_000, 3_000)).after.endOfTurn).toBe(true);
  });

  it('of a committed turn change its entry and no other', () => {
    const { after, text, entries } = afterEvent({ speech: COMMITTED }, final('Yes, please!', 2_000, 3_000), LAST_TURN);
    expect(text).toBe('');
    expect(after).toMatchObject({ startedUs: null, entry: null });
    expect(entries).toEqual([
      {
        type: 'journal.write',
        entry: {
          type: 'transcript',
          entry: { role: 'user', sequence: 7, startUs: 2_000_000, endUs: 3_000_000, content: 'Yes, please!' },
        },
      },
    ]);
  });
});

describe('an utterance end of the transcriber', () => {
  const event: CallEvent = { type: 'transcriber.utterance_end', lastWordEndMs: 3_000 };

  it('ends the turn only if it has words', () => {
    expect(afterEvent({ speech: YES }, event).after.endOfTurn).toBe(true);
    expect(afterEvent({}, event).after.endOfTurn).toBe(false);
  });

  it.each([
    [1_000, true],
    [3_000, true],
    [3_001, false],
  ])('outweighs voice activity since %s ms: %s', (activityStartMs, endOfTurn) => {
    const speaking = { speech: YES, speaking: true, activityStartedUs: activityStartMs * 1000 };
    // Voice activity may end before the time of the last word.
    expect(afterEvent({ ...speaking, activityEndedUs: 2_985_000 }, event).after.endOfTurn).toBe(endOfTurn);
    expect(afterEvent(speaking, event).after.endOfTurn).toBe(endOfTurn);
  });

  it('ends the turn of a silent user, also if they made a sound after the last word', () => {
    const silent = { speech: YES, speaking: false, activityStartedUs: 3_500_000 };
    expect(afterEvent(silent, event).after.endOfTurn).toBe(true);
  });
});

describe('a turn that the transcriber detects', () => {
  const open = speechOf({ interim: 'a table', interimEndMs: 2_800 });

  it('is complete only after its end', () => {
    const updated = afterEvent({ endOfTurn: true, complete: true }, turn('updated', 'a table', 2_000, 3_000));
    expect(updated).toMatchObject({ text: 'a table', isFinal: false, after: { endOfTurn: false, complete: false } });
    const ended = afterEvent({ speech: open }, turn('ended', 'a table please', 2_000, 3_000));
    expect(ended).toMatchObject({ text: 'a table please', isFinal: true });
    expect(ended.after).toMatchObject({ endOfTurn: true, complete: true, speech: { finalUntilMs: 3_000 } });
  });

  it('keeps its known words if its end has none', () => {
    const ended = afterEvent({ speech: open }, turn('ended', ' ', 2_000, 3_000));
    expect(ended).toMatchObject({ text: 'a table', isFinal: true, after: { complete: true } });
    expect(afterEvent({}, turn('ended', '', 2_000, 3_000))).toMatchObject({ text: '', after: { complete: false } });
  });

  it('keeps its start and its end after an event without words', () => {
    const times = { startedUs: 2_500_000, endedUs: 2_800_000 };
    const event = turn('updated', ' ', 2_000, 3_000);
    expect(afterEvent({ ...times, speech: open, complete: true }, event)).toMatchObject({
      text: 'a table',
      after: { ...times, complete: false },
    });
  });

  it('updates the transcript while it continues', () => {
    const updated = afterEvent({ speech: open }, turn('updated', 'a table for', 2_000, 3_000));
    expect(updated.after).toMatchObject({ startedUs: 2_000_000, endedUs: 3_000_000 });
    expect(updated.entries).toMatchObject([{ entry: { entry: { role: 'user', content: 'a table for' } } }]);
  });

  it('adds nothing to the next turn once it was committed', () => {
    const ended = afterEvent({ speech: COMMITTED }, turn('ended', 'Yes please.', 2_000, 3_000));
    expect(ended).toMatchObject({ text: '', after: { endOfTurn: false, complete: false, startedUs: null } });
  });
});

describe('the reset of a turn', () => {
  const userTurn: UserTurn = {
    ...SILENT_USER,
    speaking: true,
    startedUs: 1_000_000,
    endedUs: 2_000_000,
    activityEndedUs: 1_900_000,
    speech: speechOf({ finals: ['Yes'], finalEndMs: 2_000, interim: 'and now', interimEndMs: 2_600 }),
    entry: { sequence: 7, startUs: 1_000_000 },
  };
  const resetBy = (rule: (step: RuleStep) => void, changes: Partial<UserTurn> = {}) => {
    const step = ruleStep({ userTurn: { ...userTurn, ...changes } }, AT_MS);
    rule(step);
    return step.context;
  };

  it('keeps continuing activity', () => {
    const remaining = { ...SILENT_USER, speaking: true, speech: userTurn.speech };
    expect(resetBy(resetUserTurn).userTurn).toEqual({ ...remaining, startedUs: 1_000_000 });
    expect(resetBy(discardNoise).userTurn).toEqual({ ...remaining, speaking: false });
  });

  it('moves the commit mark after all known words', () => {
    const { userTurn: after, lastTurn } = resetBy((step) => resetCommittedTurn(step, 4));
    expect(after).toMatchObject({ ...SILENT_USER, speaking: true, speech: {} });
    expect(userTurnText(after)).toBe('');
    expect(after.speech.committed).toEqual([
      { entry: 7, wordsEndMs: 2_600, activityStartMs: 1_000, activityEndMs: null },
    ]);
    expect(lastTurn).toEqual({ entry: userTurn.entry, endUs: 2_000_000, item: 4, text: 'Yes and now' });
  });

  it.each([
    [{ speaking: false }, 1_900],
    [{ speaking: false, activityEndedUs: null }, null],
    [{ speaking: false, overMonologueLimit: true }, null],
  ])('with %j keeps the end of the activity as %s', (changes, activityEndMs) => {
    const { userTurn: after } = resetBy((step) => resetCommittedTurn(step, 4), changes);
    expect(after.speech.committed.at(-1)?.activityEndMs).toBe(activityEndMs);
  });
});
