import { describe, expect, it } from 'vitest';
import { turnTimes } from '../../../engine/metrics/turn-times.ts';
import type { TurnRecord, UserTurnRecord } from '../../../engine/ports/turn-record.ts';
import { EXAMPLE_TURN } from './example-turn.ts';

const USER: UserTurnRecord = {
  sequence: 1,
  endedBy: 'pause',
  score: 1,
  reasons: [],
  endedMs: 300,
  committedMs: 900,
  reopened: 0,
  amended: 0,
  corrected: false,
};
const timesOf = (changes: Partial<TurnRecord>) => turnTimes({ ...EXAMPLE_TURN, user: USER, ...changes });

describe('the durations of a turn', () => {
  it('are those between its stages', () => {
    const requestedMs = 310;
    expect(timesOf({})).toEqual({
      endpointingMs: 300,
      llmFirstTokenMs: 500 - requestedMs,
      voiceFirstAudioMs: 690 - 600,
      engineMs: requestedMs - 300 + (700 - 690),
      responseMs: 700,
      askedMs: requestedMs,
      committedMs: 900,
      answerMs: 700,
    });
  });

  it('are all null if the answer was not heard', () => {
    const values = Object.values(timesOf({ answerHeardMs: null }));
    expect(values.every((value) => value === null)).toBe(true);
  });

  it('are those of the model and the voice alone, if the reply answers no user turn', () => {
    expect(timesOf({ user: null })).toEqual({
      endpointingMs: null,
      llmFirstTokenMs: 500 - 310,
      voiceFirstAudioMs: 690 - 600,
      engineMs: null,
      responseMs: null,
      askedMs: null,
      committedMs: null,
      answerMs: null,
    });
  });

  it('take the filler as the response, and the answer after it as the answer', () => {
    expect(timesOf({ heardMs: 650, answerHeardMs: 2_000 })).toMatchObject({ responseMs: 650, answerMs: 2_000 });
    expect(timesOf({ heardMs: null }).responseMs).toBeNull();
  });

  it('count the model from its last request before the first token', () => {
    expect(timesOf({ askedMs: [310, 420, 500, 501] })).toMatchObject({ askedMs: 500, llmFirstTokenMs: 0 });
    expect(timesOf({ askedMs: [501] })).toMatchObject({ askedMs: null, llmFirstTokenMs: null });
  });

  it('count the model of an answer that was asked ahead from the end of the turn', () => {
    expect(timesOf({ askedMs: [-100] })).toMatchObject({ askedMs: 0, llmFirstTokenMs: 500 - 300, engineMs: 10 });
    expect(timesOf({ askedMs: [-100], firstTokenMs: 200 }).llmFirstTokenMs).toBe(0);
  });

  it('have no time of a model that was not asked', () => {
    const greeting = { askedMs: [], firstTokenMs: null, voiceRequestedMs: 320 };
    expect(timesOf(greeting)).toMatchObject({ llmFirstTokenMs: null, askedMs: null, engineMs: 320 - 300 + 10 });
  });

  it('have no time of a voice that was not asked, or has not answered', () => {
    expect(timesOf({ voiceRequestedMs: null })).toMatchObject({ voiceFirstAudioMs: null, engineMs: null });
    expect(timesOf({ firstAudioMs: null })).toMatchObject({ voiceFirstAudioMs: null, engineMs: 10 + (700 - 600) });
  });

  it('have no time of the engine if a model gave no token, or a filler covered the wait', () => {
    expect(timesOf({ firstTokenMs: null }).engineMs).toBeNull();
    expect(timesOf({ fillersMs: [650], heardMs: 650 }).engineMs).toBeNull();
    expect(timesOf({ fillersMs: [650, 900] }).engineMs).toBeNull();
    expect(timesOf({ fillersMs: [700] }).engineMs).toBe(20);
  });

  it('count audio that the voice had ahead from the end of the turn', () => {
    expect(timesOf({ voiceRequestedMs: 100, firstAudioMs: 200 }).engineMs).toBe(310 - 300 + (700 - 300));
  });

  it('are given to a tenth of a millisecond', () => {
    const user = { ...USER, endedMs: 0.1, committedMs: 0.3 };
    expect(timesOf({ user, askedMs: [0.1], firstTokenMs: 0.3 })).toMatchObject({
      llmFirstTokenMs: 0.2,
      committedMs: 0.3,
    });
  });
});
