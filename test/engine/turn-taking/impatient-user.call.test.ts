import { describe, expect, it } from 'vitest';
import { FINAL_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';

const SPEECH_END_MS = 1_500;
/** The user speaks again and again, with this much between two starts. */
const CALLS_FROM_S = 4;
const CALLS_UNTIL_S = 30;
const CALLS_EVERY_S = 2.8;
const CALL_S = 0.8;
/** The clock of silence counts from the first request; the filler waits until the user has spoken, and for its voice. */
const SILENCE_MAX_MS = 3_500;
const FIRST_SOUND_MAX_MS = SPEECH_END_MS + SILENCE_MAX_MS + CALL_S * 1000 + FINAL_MS + 500;
/** Answers that more words cancel before one is heard. */
const UNHEARD_ANSWERS_MAX = 2;

/** The model needs so many seconds for each answer, and the user says this while they wait. */
function impatientCall(modelS: number, text: string, language = 'en'): Simulation {
  const model = Array.from({ length: 20 }, () => ({ text: 'We open at nine.', after: modelS }));
  const call = new Simulation({ agent: { language }, model }).userSpeaks(
    0.5,
    SPEECH_END_MS / 1000,
    'Tell me about it.',
  );
  for (let at = CALLS_FROM_S; at < CALLS_UNTIL_S; at += CALLS_EVERY_S) call.userSpeaks(at, at + CALL_S, text);
  return call;
}

const firstAnswerMs = (call: Simulation) => call.heard.find(({ text }) => text === 'We open at nine.')?.fromMs;

describe('a user who asks whether the agent is still there', () => {
  it.each([
    ['en', 'Hello? Are you there?'],
    ['de', 'Hallo? Sind Sie noch da?'],
    ['fr', 'Allô, vous m’entendez ?'],
    ['es', '¿Hola? ¿Me escucha?'],
    ['it', 'Pronto? Mi sente?'],
    ['pt', 'Alô? Você está aí?'],
    ['nl', 'Hallo? Bent u er nog?'],
  ])('hears the answer that the model is making, and the model is not asked again: %s, %s', (language, text) => {
    const modelS = 8;
    const call = impatientCall(modelS, text, language).runUntil(12);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.heard[0]?.fromMs).toBeLessThanOrEqual(FIRST_SOUND_MAX_MS);
    expect(firstAnswerMs(call)).toBeLessThan(SPEECH_END_MS + FINAL_MS + modelS * 1000 + CALL_S * 1000 + VOICE_MS);
    expectReplay(call);
  });

  it('is answered once, if they asked before the answer and not after it', () => {
    const call = new Simulation({ agent: {}, model: [{ text: 'We open at nine.', after: 5 }] })
      .userSpeaks(0.5, SPEECH_END_MS / 1000, 'Tell me about it.')
      .userSpeaks(4, 4.8, 'Hello?')
      .userSpeaks(6, 6.4, 'Hello?')
      .runUntil(20);
    expect(call.modelRequests).toHaveLength(1);
  });
});

describe('a user who goes on speaking while the model is slow', () => {
  it.each([3, 8])('hears something in time, and the answer after two others were cancelled: %i s', (modelS) => {
    const call = impatientCall(modelS, 'I need blue ones.').runUntil(CALLS_UNTIL_S);
    expect(call.heard[0]?.fromMs).toBeLessThanOrEqual(FIRST_SOUND_MAX_MS);
    const answerMs = firstAnswerMs(call) ?? Number.POSITIVE_INFINITY;
    const asked = call.commandTimesMs('model.request').filter((atMs) => atMs < answerMs);
    expect(asked).toHaveLength(1 + UNHEARD_ANSWERS_MAX);
    expectReplay(call);
  });

  it('is answered for the words behind those of the heard answer too', () => {
    const call = new Simulation({ agent: {}, model: Array.from({ length: 9 }, () => ({ text: 'Nine.', after: 3 })) });
    call.userSpeaks(0.5, SPEECH_END_MS / 1000, 'Tell me about it.');
    for (const [at, text] of [
      [4, 'I need one.'],
      [6.8, 'I need two.'],
      [9.6, 'I need three.'],
    ] as const) {
      call.userSpeaks(at, at + CALL_S, text);
    }
    call.runUntil(40);
    const asked = JSON.stringify(call.modelRequests.at(-1)?.messages);
    expect(asked).toContain('I need three.');
    expectReplay(call);
  });
});
