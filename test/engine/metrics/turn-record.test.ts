import { describe, expect, it } from 'vitest';
import { NO_ANSWER, OPEN_USER, type TurnDraft } from '../../../engine/core/state/turn-draft.ts';
import { turnRecord } from '../../../engine/metrics/turn-record.ts';

const STARTED_US = 1_000_000;
const DRAFT: TurnDraft = {
  ...NO_ANSWER,
  number: 3,
  startedUs: STARTED_US,
  user: null,
  askedUs: [],
  fillersUs: [],
  tools: [],
  interrupted: false,
  falseInterruptions: 0,
  ducked: 0,
  echoWords: 0,
};
const SPEECH_ENDED_US = 2_000_000;
const USER = { ...OPEN_USER, speechEndedUs: SPEECH_ENDED_US };

describe('the written record of a turn', () => {
  it('counts from the end of the user’s speech, to a tenth of a millisecond, and has no time for a missing stage', () => {
    const firstTokenUs = SPEECH_ENDED_US + 123_460;
    const tool = { toolCallId: 'a', name: 'lookup', startedUs: SPEECH_ENDED_US - 500_000, endedUs: null };
    expect(
      turnRecord({ ...DRAFT, user: USER, askedUs: [SPEECH_ENDED_US - 100_000], firstTokenUs, tools: [tool] }),
    ).toMatchObject({
      startUs: SPEECH_ENDED_US,
      askedMs: [-100],
      firstTokenMs: 123.5,
      voiceRequestedMs: null,
      tools: [{ startedMs: -500, endedMs: null }],
    });
  });

  it('counts from its begin without a user turn, or without the end of its speech', () => {
    expect(turnRecord({ ...DRAFT, heardUs: STARTED_US + 5_000 })).toMatchObject({ startUs: STARTED_US, heardMs: 5 });
    expect(turnRecord({ ...DRAFT, user: OPEN_USER }).startUs).toBe(STARTED_US);
  });

  it('names no cause, score and reasons of an end that the rules have not found', () => {
    expect(turnRecord({ ...DRAFT, user: USER }).user).toMatchObject({ endedBy: 'other', score: null, reasons: [] });
    const end = { by: 'pause', score: 0.5, reasons: ['no_mark'] } as const;
    expect(turnRecord({ ...DRAFT, user: { ...USER, end } }).user).toMatchObject({
      endedBy: 'pause',
      score: 0.5,
      reasons: ['no_mark'],
    });
  });

  it('ends an open turn with its speech, and commits it with its end', () => {
    expect(turnRecord({ ...DRAFT, user: USER }).user).toMatchObject({ endedMs: 0, committedMs: 0 });
    const endedUs = SPEECH_ENDED_US + 200_000;
    expect(turnRecord({ ...DRAFT, user: { ...USER, endedUs } }).user).toMatchObject({ endedMs: 200, committedMs: 200 });
    const committedUs = SPEECH_ENDED_US + 300_000;
    expect(turnRecord({ ...DRAFT, user: { ...USER, endedUs, committedUs } }).user).toMatchObject({
      endedMs: 200,
      committedMs: 300,
    });
  });
});
