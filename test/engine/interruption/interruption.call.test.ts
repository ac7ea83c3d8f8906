import { describe, expect, it } from 'vitest';
import { RESPONSE_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { Simulation } from '../simulation/simulation.ts';

const FIRST_SENTENCE = 'One two three four five six.';
const SECOND_SENTENCE = 'Seven eight nine ten.';
const INITIAL_MESSAGE = `${FIRST_SENTENCE} ${SECOND_SENTENCE}`;
const FIRST_SENTENCE_END_MS = 1_600;
const MESSAGE_END_MS = 2_650;
/** After a sound, words may still follow for this long: the final's 99th percentile (400 ms) and 100 ms. */
const WORDS_WAIT_MS = 500;
/** A tentative interruption without words pauses playback for at most this long. */
const TENTATIVE_MAX_MS = 2_000;
const agent = { initial_message: INITIAL_MESSAGE };

describe('interruption', () => {
  it('pauses playback at once; words confirm it and truncate the agent turn to the played part', () => {
    const call = new Simulation({ agent, model: [{ text: 'Sorry.' }] })
      .at(1, (call) => call.media.emit({ type: 'speech_started', audioMs: 1_000 }))
      .interimAt(1.6, 1, 'Excuse me')
      .at(2, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 2_000 }))
      .at(2.2, (call) => call.emitFinal(1, 2, 'Excuse me please.'))
      .runUntil(10);
    expect(call.heard).toEqual([
      { text: FIRST_SENTENCE, fromMs: VOICE_MS, toMs: 1_000 },
      { text: 'Sorry.', fromMs: 2_000 + RESPONSE_MS, toMs: 2_000 + RESPONSE_MS + 300 },
    ]);
    // 800 of 1,400 ms were played: 16 of 28 characters.
    expect(call.dialogue).toEqual(['agent: One two three', 'user: Excuse me please.', 'agent: Sorry.']);
    expect(call.transcript[0]).toMatchObject({
      interrupted: true,
      generatedContent: INITIAL_MESSAGE,
      startUs: VOICE_MS * 1000,
    });
    expect(call.modelRequests[0]?.messages.slice(1)).toEqual([
      { role: 'assistant', content: 'One two three' },
      { role: 'user', content: 'Excuse me please.' },
    ]);
  });

  it('resumes playback where it paused if no words follow', () => {
    const call = new Simulation({ agent })
      .at(1, (call) => call.media.emit({ type: 'speech_started', audioMs: 1_000 }))
      .at(1.2, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 1_200 }))
      .runUntil(10);
    const resumedMs = 1_200 + WORDS_WAIT_MS;
    const pauseMs = resumedMs - 1_000;
    expect(call.heard).toEqual([
      { text: FIRST_SENTENCE, fromMs: VOICE_MS, toMs: 1_000 },
      { text: FIRST_SENTENCE, fromMs: resumedMs, toMs: FIRST_SENTENCE_END_MS + pauseMs },
      { text: SECOND_SENTENCE, fromMs: FIRST_SENTENCE_END_MS + pauseMs, toMs: MESSAGE_END_MS + pauseMs },
    ]);
    expect(call.dialogue).toEqual([`agent: ${INITIAL_MESSAGE}`]);
    expect(call.modelRequests).toHaveLength(0);
    call.hangUpAt(11).runUntil(12);
    expect(call.journalEntries('ended')[0]?.metrics).toMatchObject({ interruptions: 0, falseInterruptions: 1 });
  });

  it('resumes playback after a backchannel, which gets no response', () => {
    const call = new Simulation({ agent }).userSpeaks(0.8, 1.1, 'Okay.').runUntil(10);
    // From the start of the speech to its final.
    const pauseMs = 500;
    expect(call.heard.at(-1)).toEqual({
      text: SECOND_SENTENCE,
      fromMs: FIRST_SENTENCE_END_MS + pauseMs,
      toMs: MESSAGE_END_MS + pauseMs,
    });
    expect(call.modelRequests).toHaveLength(0);
    expect(call.dialogue).toEqual([`agent: ${INITIAL_MESSAGE}`, 'user: Okay.']);
  });

  it('takes a backchannel near the end of a question for the response', () => {
    const call = new Simulation({ agent: { initial_message: 'Is that right?' } })
      .userSpeaks(0.5, 0.7, 'Yes.')
      .runUntil(10);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.modelRequests[0]?.messages.at(-1)).toEqual({ role: 'user', content: 'Yes.' });
  });

  it('needs only a backchannel at high sensitivity', () => {
    const call = new Simulation({ agent: { ...agent, interruptions_sensitivity: 'high' } })
      .userSpeaks(0.8, 1.1, 'Okay.')
      .runUntil(10);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.heardTexts).not.toContain(SECOND_SENTENCE);
  });

  it('needs three words, or a stop phrase, at low sensitivity', () => {
    const lowSensitivity = { ...agent, interruptions_sensitivity: 'low' as const };
    const twoWords = new Simulation({ agent: lowSensitivity }).userSpeaks(0.8, 1.7, 'Blue house').runUntil(10);
    const threeWords = new Simulation({ agent: lowSensitivity }).userSpeaks(0.8, 1.7, 'The blue house').runUntil(10);
    const stopPhrase = new Simulation({ agent: lowSensitivity }).userSpeaks(0.8, 1.7, 'Stop').runUntil(10);
    expect(twoWords.heard.at(-2)?.text).toBe(SECOND_SENTENCE);
    expect(threeWords.heardTexts).not.toContain(SECOND_SENTENCE);
    expect(stopPhrase.heardTexts).not.toContain(SECOND_SENTENCE);
    // Words that do not interrupt get a response after the agent's speech.
    expect(twoWords.modelRequests).toHaveLength(1);
  });

  it('resumes playback after an echo of the agent', () => {
    const call = new Simulation({ agent }).userSpeaks(0.6, 1.5, 'two three four').runUntil(10);
    expect(call.heard.at(-1)?.text).toBe(SECOND_SENTENCE);
    expect(call.modelRequests).toHaveLength(0);
  });

  it('does not happen with interruptions off; the user gets a response afterwards', () => {
    const call = new Simulation({ agent: { ...agent, interruptions: false } })
      .userSpeaks(0.8, 1.7, 'Stop that please.')
      .runUntil(10);
    expect(call.heard.map(({ fromMs, toMs }) => [fromMs, toMs]).slice(0, 2)).toEqual([
      [VOICE_MS, FIRST_SENTENCE_END_MS],
      [FIRST_SENTENCE_END_MS, MESSAGE_END_MS],
    ]);
    expect(call.heard).toHaveLength(3);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.commands.some(({ type }) => type === 'playout.pause')).toBe(false);
  });

  it('does not truncate an uninterruptible message', () => {
    const call = new Simulation({ agent: { ...agent, initial_message_interruptible: false } })
      .userSpeaks(0.8, 1.7, 'Stop that please.')
      .runUntil(10);
    expect(call.dialogue[0]).toBe(`agent: ${INITIAL_MESSAGE}`);
    expect(call.modelRequests).toHaveLength(1);
  });

  it('pauses playback for two seconds at most in lasting noise', () => {
    const call = new Simulation({ agent })
      .at(1, (call) => call.media.emit({ type: 'speech_started', audioMs: 1_000 }))
      .runUntil(10);
    expect(call.heard.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([
      [VOICE_MS, 1_000],
      [1_000 + TENTATIVE_MAX_MS, FIRST_SENTENCE_END_MS + TENTATIVE_MAX_MS],
      [FIRST_SENTENCE_END_MS + TENTATIVE_MAX_MS, MESSAGE_END_MS + TENTATIVE_MAX_MS],
    ]);
  });
});

it('playback continues after a short sound that turns out to be an answering machine', () => {
  const call = new Simulation({ agent: { initial_message: 'Hello.' }, parameters: { direction: 'outbound' } });
  call.at(0, () => call.emitControlEvent({ type: 'answered' }));
  call.userSpeaks(1.1, 1.2, 'You have reached my voicemail.').runUntil(10);
  expect(call.heardTexts).toEqual(['Yes.']);
  expect(call.faultNotices).toEqual([]);
});
