import { describe, expect, it } from 'vitest';
import { FINAL_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';
import { type SpokenUtterance, StreamedSpeech, type StreamTiming } from '../simulation/streamed-speech.ts';

const SPEECH_END_MS = 1_500;
/** The user speaks again and again, with this much between two starts. */
const CALLS_FROM_S = 4;
const CALLS_UNTIL_S = 30;
const CALLS_EVERY_S = 2.8;
const CALL_S = 0.8;
/** The clock of silence counts from the first request; the filler waits until the user has spoken, and for its voice. */
const SILENCE_MS_MAX = 3_500;
const FIRST_SOUND_MS_MAX = SPEECH_END_MS + SILENCE_MS_MAX + CALL_S * 1000 + FINAL_MS + 500;
/** Answers that more words cancel before one is heard. */
const UNHEARD_ANSWERS_MAX = 2;

/** The model needs this many seconds for each answer, and the user says this while they wait. */
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
    expect(call.heard[0]?.fromMs).toBeLessThanOrEqual(FIRST_SOUND_MS_MAX);
    expect(firstAnswerMs(call)).toBeLessThan(SPEECH_END_MS + FINAL_MS + modelS * 1000 + CALL_S * 1000 + VOICE_MS);
    expectReplay(call);
  });

  it.each([
    ['Are you there?', ['are', 'are you'], 1],
    ['Hello? Can you hear me?', ['hello', 'hello can you'], 1],
    ['Are you open on Sunday?', ['are', 'are you'], 2],
  ])('is understood only at the end of the words: %s', (text, interims, requests) => {
    const call = new Simulation({ agent: {}, model: [1, 2].map(() => ({ text: 'We open at nine.', after: 5 })) })
      .userSpeaks(0.5, SPEECH_END_MS / 1000, 'Tell me about it.')
      .userSpeaks(4, 4.8, text);
    for (const [nth, interim] of interims.entries()) call.interimAt(4.2 + nth * 0.2, 4, interim);
    call.runUntil(20);
    expect(call.modelRequests).toHaveLength(requests);
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
    expect(call.heard[0]?.fromMs).toBeLessThanOrEqual(FIRST_SOUND_MS_MAX);
    const answerMs = firstAnswerMs(call) ?? Number.POSITIVE_INFINITY;
    const asked = call.commandTimesMs('model.request').filter((atMs) => atMs < answerMs);
    expect(asked).toHaveLength(1 + UNHEARD_ANSWERS_MAX);
    expectReplay(call);
  });

  it('is answered for the words after those of the heard answer too', () => {
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

/** The user says each text at its time, and the transcriber reports it. */
function streamedCall(said: readonly SpokenUtterance[], timing: Partial<StreamTiming>, modelS = 0.4): Simulation {
  const model = Array.from({ length: 20 }, () => ({ text: 'We open at nine.', after: modelS }));
  const call = new Simulation({ agent: {}, model });
  return new StreamedSpeech(call, said, {
    lagMs: 200,
    finalMs: 300,
    interims: true,
    wordTimes: true,
    ...timing,
  }).runUntil(ASKED_UNTIL_MS);
}

const ASKED_UNTIL_MS = 20_000;
const WORD_MS = 300;
/** Sounds after the question hold the turn for 2.5 s; what is said again is known 2 s after its end. */
const ASKED_AGAIN_MS_MAX = 6_500;

describe('a user who asks again and again', () => {
  const lateFinals = [
    [true, 1_500],
    [true, 2_000],
    [false, 800],
    [false, 1_500],
    [false, 2_000],
  ] as const;

  it.each(
    ['Are you there?', 'Can you hear me?', 'When do you open?'].flatMap((again) =>
      lateFinals.map((timing) => [again, ...timing] as const),
    ),
  )(
    'hears the answer to the first question within seconds: %s, interims: %s, finals %i ms late',
    (again, ...timing) => {
      const [interims, finalMs] = timing;
      const question = 'When do you open?';
      const askedMs = 500 + question.split(' ').length * WORD_MS;
      for (const everyMs of [1_500, 1_800, 2_300, 3_000]) {
        const said = [{ startMs: 500, text: question }];
        for (let startMs = 500 + everyMs; startMs < ASKED_UNTIL_MS; startMs += everyMs) {
          if (startMs > askedMs) said.push({ startMs, text: again });
        }
        const call = streamedCall(said, { interims, finalMs });
        expect(call.heard[0]?.text, `every ${everyMs} ms`).toBe('We open at nine.');
        expect(call.heard[0]?.fromMs, `every ${everyMs} ms`).toBeLessThanOrEqual(askedMs + ASKED_AGAIN_MS_MAX);
      }
    },
  );

  it('is asked about once, if they ask again in the same words before the answer is heard', () => {
    const again = [500, 3_000].map((startMs) => ({ startMs, text: 'When do you open?' }));
    const call = streamedCall(again, {}, 3);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.dialogue[0]).toBe('user: When do you open? When do you open?');
  });

  it('is waited for as long as ever, if what they say again is dictated', () => {
    const digits = Array.from({ length: 8 }, (_, at) => ({ startMs: 1_800 + at * 1_100, text: 'five' }));
    const call = streamedCall([{ startMs: 500, text: 'my number is' }, ...digits], { finalMs: 1_500 });
    expect(call.dialogue[0]).toBe(`user: my number is ${digits.map(({ text }) => text).join(' ')}`);
    expect(call.modelRequests).toHaveLength(1);
  });
});
