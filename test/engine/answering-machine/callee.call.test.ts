import { describe, expect, it } from 'vitest';
import { FINAL_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { Simulation } from '../simulation/simulation.ts';
import {
  AGENT_WITH_MESSAGE,
  answerTypes,
  CLASSIFICATION_MS_MAX,
  FIRST_WORD_WAIT_MS,
  heardStarts,
  INITIAL_MESSAGE,
  outboundCall,
} from './outbound-call.ts';

/** The silence after words that introduce. */
const INTRODUCTION_PAUSE_MS = 1_300;
/** A sound without words holds the initial message for this long while it lasts. */
const NOISE_MS_MAX = 2_000;
/** After a sound, words may still follow for this long. */
const WORDS_WAIT_MS = 700;

describe('callee who answers an outbound call', () => {
  it.each([
    { text: 'Hello?', to: 0.9 },
    { text: 'Meyer, guten Tag.', to: 1.9 },
    { text: 'Yes', to: 0.8 },
    { text: 'Good evening, who is calling please?', to: 2.4 },
    { text: 'Hello who is there', to: 1.9 },
    { text: 'Hello hello, anybody out there?', to: 1.9 },
    { text: 'This is the dentist?', to: 1.9 },
  ])('hears the initial message after «$text» as soon as on an inbound call', ({ text, to }) => {
    const agent = { initial_message: INITIAL_MESSAGE, initial_message_delay: 50 };
    const outbound = outboundCall(agent).userSpeaks(0.4, to, text).runUntil(10);
    const inbound = new Simulation({ agent }).userSpeaks(0.4, to, text).runUntil(10);
    expect(outbound.heard[0]).toMatchObject({ text: INITIAL_MESSAGE });
    expect(outbound.heard[0]?.fromMs).toBe(inbound.heard[0]?.fromMs);
    expect(outbound.modelRequests).toEqual([]);
  });

  it.each([
    ['en', 'This is Bob.'],
    ['en', "You've reached Bob Smith."],
    ['en', 'Hello? This is Bob.'],
    ['en', 'Good evening, Bob Miller speaking.'],
    ['de', 'Hier ist Anna.'],
    ['de', 'Sie haben die Praxis Weber erreicht.'],
    ['fr', 'Vous êtes bien chez Claire.'],
    ['es', 'Ha llamado a Pablo.'],
    ['it', 'Avete chiamato Marco.'],
    ['pt', 'Você ligou para Ana.'],
    ['nl', 'U spreekt met Jan.'],
  ])('is not answered before he or it may go on, after words that introduce: %s «%s»', (language, text) => {
    const agent = { initial_message: INITIAL_MESSAGE, language };
    const answered = outboundCall(agent).userSpeaks(0.4, 1.9, text).runUntil(10);
    expect(answered.heard[0]?.fromMs).toBe(1_900 + INTRODUCTION_PAUSE_MS + VOICE_MS);
    const machine = outboundCall(agent).userSpeaks(0.4, 1.9, text);
    machine.userSpeaks(3.1, 4, 'Voicemail mailbox messagerie.').runUntil(8);
    expect(machine.heard.filter(({ fromMs }) => fromMs < 4_000)).toEqual([]);
  });

  describe('who asks what a call screening asks', () => {
    const callWith = (greetingEnd: number, questionFrom: number) =>
      outboundCall(AGENT_WITH_MESSAGE)
        .userSpeaks(0.5, greetingEnd, 'Acme, good morning.')
        .userSpeaks(questionFrom, questionFrom + 2, 'May I ask the reason for your call?')
        .userSpeaks(13, 14.5, 'And which company are you from?')
        .runUntil(20);

    it('is a person once they have heard the initial message', () => {
      const call = callWith(1.4, 6);
      expect(answerTypes(call).map(([type]) => type)).toEqual(['human']);
      expect(call.modelRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual([
        'May I ask the reason for your call?',
        'And which company are you from?',
      ]);
      expect(call.heardTexts).toEqual([INITIAL_MESSAGE, 'Yes.', 'Yes.']);
    });

    it('is a call screening if it speaks over the initial message', () => {
      expect(answerTypes(callWith(1.4, 2)).map(([type]) => type)).toEqual(['human', 'call_screening']);
    });
  });

  it('is answered at once after such words in a later turn', () => {
    const agent = { initial_message: INITIAL_MESSAGE };
    const secondAnswerMs = (call: Simulation) => call.userSpeaks(5, 6.5, 'This is Bob.').runUntil(12).heard[1]?.fromMs;
    expect(secondAnswerMs(outboundCall(agent))).toBe(secondAnswerMs(new Simulation({ agent })));
  });

  it('gets the type `human` at the end of the greeting, once', () => {
    const call = outboundCall({ initial_message: INITIAL_MESSAGE }).userSpeaks(0.4, 0.9, 'Hello?').runUntil(10);
    const turnEndMs = 900 + FINAL_MS;
    expect(answerTypes(call)).toEqual([['human', turnEndMs]]);
    expect(heardStarts(call)).toEqual([[INITIAL_MESSAGE, turnEndMs + VOICE_MS]]);
  });

  it('hears the initial message after a second of silence', () => {
    const call = outboundCall({ initial_message: INITIAL_MESSAGE }).runUntil(10);
    const fromMs = FIRST_WORD_WAIT_MS + VOICE_MS;
    expect(call.heard).toEqual([{ text: INITIAL_MESSAGE, fromMs, toMs: fromMs + 1_000 }]);
    expect(answerTypes(call)).toEqual([['unknown', CLASSIFICATION_MS_MAX]]);
  });

  it('hears the initial message after its own delay if that is longer', () => {
    const call = outboundCall({ initial_message: INITIAL_MESSAGE, initial_message_delay: 3 }).runUntil(10);
    expect(call.heard[0]?.fromMs).toBe(3_000 + VOICE_MS);
  });

  it('hears the initial message after a sentence that the API requests before it', () => {
    const text = 'This call is recorded for training.';
    const call = outboundCall({ initial_message: INITIAL_MESSAGE });
    call.at(0.5, () => call.handle.post({ type: 'call.say', text, interrupt: false })).runUntil(10);
    expect(call.heardTexts).toEqual([text, INITIAL_MESSAGE]);
  });

  it('hears the initial message in lasting noise, two seconds after its start', () => {
    const call = outboundCall({ initial_message: INITIAL_MESSAGE });
    call.at(0.2, () => call.media.emit({ type: 'speech_started', audioMs: 200 })).runUntil(10);
    expect(call.heard[0]?.fromMs).toBe(200 + NOISE_MS_MAX + VOICE_MS);
  });

  it('begins their turn with their own words after lasting noise', () => {
    const call = outboundCall({ initial_message: INITIAL_MESSAGE });
    call.at(0.2, () => call.media.emit({ type: 'speech_started', audioMs: 200 }));
    call.at(4.2, () => call.media.emit({ type: 'speech_stopped', audioMs: 4_200 }));
    call.userSpeaks(6, 7, 'Who is calling?').runUntil(12);
    expect(call.dialogue.slice(0, 2)).toEqual([`agent: ${INITIAL_MESSAGE}`, 'user: Who is calling?']);
    expect(call.transcript.find(({ role }) => role === 'user')?.startUs).toBe(6_000_000);
  });

  it('hears the initial message after a short noise', () => {
    const call = outboundCall({ initial_message: INITIAL_MESSAGE });
    call.at(0.6, () => call.media.emit({ type: 'speech_started', audioMs: 600 }));
    call.at(1.1, () => call.media.emit({ type: 'speech_stopped', audioMs: 1_100 }));
    call.runUntil(10);
    expect(call.heard[0]?.fromMs).toBe(1_100 + WORDS_WAIT_MS + VOICE_MS);
  });

  it('gets the type `human` after a response to the agent', () => {
    const call = outboundCall({ initial_message: INITIAL_MESSAGE });
    call.userSpeaks(5, 8, 'Oh hello Anna, how nice of you to call me.').runUntil(12);
    expect(answerTypes(call)).toEqual([
      ['unknown', CLASSIFICATION_MS_MAX],
      ['human', 8_000 + FINAL_MS],
    ]);
  });

  it('stays human after words that people use too, and after a beep in a later turn', () => {
    const call = outboundCall({ ...AGENT_WITH_MESSAGE, initial_message: '' });
    call.userSpeaks(0.4, 0.9, 'Hello?').userSpeaks(3, 4.5, 'I only got your voicemail.').userSpeaks(7, 8, 'Yes?');
    call.at(10, () => call.emitTone(9.5, 9.8)).runUntil(14);
    expect(answerTypes(call)).toEqual([['human', 900 + FINAL_MS]]);
    expect(call.heardTexts).not.toContain('This is Anna.');
    expect(call.modelRequests).toHaveLength(3);
  });

  it('gets no answer type after a hang-up before the classification', () => {
    const call = outboundCall({ initial_message: INITIAL_MESSAGE }).hangUpAt(0.5).runUntil(20);
    expect(call.endReason).toBe('caller_hangup');
    expect(answerTypes(call)).toEqual([]);
    expect(call.clock.pending).toBe(0);
  });
});

it('an inbound call has no classification and no tone detection', () => {
  const call = new Simulation({ agent: AGENT_WITH_MESSAGE }).userSpeaks(0.4, 3, 'Leave a message after the tone.');
  call.at(4, () => call.emitTone(3.3, 3.8)).runUntil(8);
  expect(answerTypes(call)).toEqual([]);
  expect(call.commands.filter(({ type }) => type === 'tones.listen')).toEqual([]);
  expect(call.heardTexts).not.toContain('This is Anna.');
});
