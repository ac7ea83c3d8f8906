import { describe, expect, it } from 'vitest';
import { FINAL_MS, MODEL_MS, PAUSING_SPEECH_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import {
  AGENT_WITH_MESSAGE,
  AGENT_WITHOUT_MESSAGE,
  answerTypes,
  END_SILENCE_MS,
  heardStarts,
  INITIAL_MESSAGE,
  MACHINE_TURN_MS_MAX,
  MESSAGE,
  messageFrom,
  outboundCall,
  speaksWithInterims,
} from './outbound-call.ts';

const VOICEMAIL_GREETING = "You've reached Bob Smith. Please leave a message after the tone.";
const GREETING_END_MS = 4_000;
const GREETING_OVER_MS = GREETING_END_MS + END_SILENCE_MS.voicemail;
const MESSAGE_SENTENCES = ['This is Anna.', 'Please call us back.'];
const FIRST_SENTENCE = 'This is Anna.';

/** The voicemail greets from 0.5 s to `GREETING_END_MS`. */
function voicemailCall(...parameters: Parameters<typeof outboundCall>) {
  return speaksWithInterims(outboundCall(...parameters), 0.5, GREETING_END_MS / 1000, VOICEMAIL_GREETING);
}

describe('message after the voicemail’s greeting', () => {
  it('begins after the beep, and the call ends with it', () => {
    const call = voicemailCall(AGENT_WITH_MESSAGE);
    call.at(5.4, () => call.emitTone(4.7, 5.2)).runUntil(20);
    expect(answerTypes(call)).toEqual([['voicemail', 3_500]]);
    expect(heardStarts(call)).toEqual(messageFrom(5_400));
    expect(call.endReason).toBe('voicemail_left');
    expect(call.dialogue).toEqual([`user: ${VOICEMAIL_GREETING}`, `agent: ${MESSAGE}`]);
    expect(call.modelRequests).toEqual([]);
    expect(call.media.listensForTones).toBe(false);
  });

  it('begins after 1.8 s of silence without a beep', () => {
    const call = voicemailCall(AGENT_WITH_MESSAGE).runUntil(20);
    expect(call.heard[0]).toMatchObject({ text: FIRST_SENTENCE, fromMs: GREETING_OVER_MS + VOICE_MS });
    expect(call.endReason).toBe('voicemail_left');
  });

  it('waits for a greeting that continues after a pause', () => {
    const call = voicemailCall(AGENT_WITH_MESSAGE).userSpeaks(5, 9, 'To send it press hash.').runUntil(20);
    expect(call.heard[0]?.fromMs).toBe(9_000 + END_SILENCE_MS.voicemail + VOICE_MS);
  });

  it('begins again after a late beep', () => {
    const call = voicemailCall(AGENT_WITH_MESSAGE);
    call.at(7, () => call.emitTone(6.3, 6.8)).runUntil(20);
    expect(heardStarts(call)).toEqual([...messageFrom(GREETING_OVER_MS), ...messageFrom(7_000)]);
    expect(call.endReason).toBe('voicemail_left');
  });

  it('continues during sounds of the voicemail', () => {
    const call = voicemailCall(AGENT_WITH_MESSAGE);
    call.at(5.4, () => call.emitTone(4.7, 5.2));
    call.userSpeaks(6, 7, 'Stop. Press one for more options.').runUntil(20);
    expect(call.heardTexts).toEqual(MESSAGE_SENTENCES);
    expect(call.endReason).toBe('voicemail_left');
  });

  it('begins after a beep without a greeting', () => {
    const call = outboundCall(AGENT_WITH_MESSAGE);
    call.at(0.9, () => call.emitTone(0.3, 0.7)).runUntil(20);
    expect(answerTypes(call)).toEqual([['voicemail', 900]]);
    expect(call.heard[0]).toMatchObject({ text: FIRST_SENTENCE, fromMs: 900 + VOICE_MS });
  });

  it('begins after a minute if the voicemail never falls silent', () => {
    const call = outboundCall(AGENT_WITH_MESSAGE);
    call.at(0.5, () => call.media.emit({ type: 'speech_started', audioMs: 500 }));
    call.interimAt(2, 0.5, VOICEMAIL_GREETING).runUntil(80);
    expect(call.heard[0]?.fromMs).toBe(2_000 + MACHINE_TURN_MS_MAX + VOICE_MS);
    expect(call.endReason).toBe('voicemail_left');
  });

  it('fills its placeholders once', () => {
    const tool = {
      type: 'leave_voicemail_message',
      name: 'leave_message',
      filler_sentence: 'Hello {{name}}.',
    } as const;
    const agent = { states: [{ name: 'start', tools: [tool] }] };
    const parameters = { direction: 'outbound', dynamicVariables: { name: '{{bob}}' } } as const;
    expect(voicemailCall(agent, { parameters }).runUntil(20).heardTexts).toEqual(['Hello {{bob}}.']);
  });

  it.each([
    ['the second time it is asked', [{}, { text: MESSAGE }], 'voicemail_left', MESSAGE],
    ['at once', [{ text: MESSAGE }], 'voicemail_left', MESSAGE],
    ['never', [{}, {}, {}], 'llm_error', 'something went wrong'],
  ])('comes from the model if none is configured; the model writes a text %s', (_case, responses, reason, content) => {
    const tool = { type: 'leave_voicemail_message', name: 'leave_message' } as const;
    const agent = { initial_message: INITIAL_MESSAGE, states: [{ name: 'start', tools: [tool] }] };
    const model = responses.map((response) => ({ ...response, toolCalls: [{ name: 'leave_message' }] }));
    const call = voicemailCall(agent, { model }).runUntil(40);
    expect(call.endReason).toBe(reason);
    expect(call.dialogue[1]).toContain(content);
  });

  it('needs the tool: without it, the model is asked after the greeting', () => {
    const model = [{ toolCalls: [{ name: 'bye' }] }];
    const call = voicemailCall(AGENT_WITHOUT_MESSAGE, { model }).runUntil(20);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.modelRequests[0]?.messages[0]?.content).toContain('A voicemail answered');
    expect(call.modelRequests[0]?.messages[1]).toEqual({ role: 'user', content: VOICEMAIL_GREETING });
    expect(call.heard).toEqual([]);
    expect(call.endReason).toBe('agent_hangup');
    expect(call.commandTimesMs('model.request')).toEqual([GREETING_OVER_MS]);
  });

  it('replays exactly', () => {
    const call = voicemailCall(AGENT_WITH_MESSAGE);
    call.at(5.4, () => call.emitTone(4.7, 5.2)).runUntil(20);
    expectReplay(call);
  });
});

describe('late recognition of a voicemail', () => {
  it('interrupts the agent at a beep, then leaves the message', () => {
    const call = outboundCall(AGENT_WITH_MESSAGE).userSpeaks(0.5, 2, 'Hello there.');
    call.at(2.8, () => call.emitTone(2.3, 2.6)).runUntil(20);
    const turnEndMs = 2_000 + FINAL_MS;
    expect(answerTypes(call)).toEqual([
      ['human', turnEndMs],
      ['voicemail', 2_800],
    ]);
    expect(heardStarts(call)).toEqual([[INITIAL_MESSAGE, turnEndMs + VOICE_MS], ...messageFrom(2_800)]);
    expect(call.heard.map(({ toMs }) => toMs)).toEqual([2_800, 3_650, 4_650]);
    expect(call.endReason).toBe('voicemail_left');
  });

  it('interrupts the initial message at the greeting, then leaves the message after it', () => {
    const call = outboundCall(AGENT_WITH_MESSAGE);
    call.at(1.5, () => call.media.emit({ type: 'speech_started', audioMs: 1_500 }));
    call.interimAt(3, 1.5, 'Please leave a message after the tone').userSpeaks(1.5, 4.5, VOICEMAIL_GREETING);
    call.runUntil(20);
    expect(call.heard[0]).toEqual({ text: INITIAL_MESSAGE, fromMs: 1_200, toMs: 1_500 + PAUSING_SPEECH_MS });
    const messageMs = 4_500 + END_SILENCE_MS.voicemail + VOICE_MS;
    expect(call.heard.find(({ text }) => text === FIRST_SENTENCE)).toMatchObject({ fromMs: messageMs });
  });

  it('interrupts the agent at words after a pause', () => {
    const call = outboundCall(AGENT_WITH_MESSAGE).userSpeaks(0.5, 1.9, 'Bob Smith speaking.');
    call.userSpeaks(2.5, 5, 'Please leave a message after the tone.').runUntil(20);
    const recognisedMs = 5_000 + FINAL_MS;
    expect(answerTypes(call)).toEqual([
      ['human', 1_900 + FINAL_MS],
      ['voicemail', recognisedMs],
    ]);
    const interrupted = { text: INITIAL_MESSAGE, fromMs: 1_900 + FINAL_MS + VOICE_MS, toMs: 2_500 + PAUSING_SPEECH_MS };
    expect(call.heard[0]).toEqual(interrupted);
    expect(call.heardTexts.filter((text) => text === INITIAL_MESSAGE)).toHaveLength(1);
    expect(call.endReason).toBe('voicemail_left');
  });

  it('leaves the message after the beep when the model recognises the voicemail', () => {
    const call = outboundCall(AGENT_WITH_MESSAGE, {
      model: [{ text: 'Hm.', toolCalls: [{ name: 'leave_message' }] }],
    });
    call.userSpeaks(0.5, 1, 'Hello?').userSpeaks(4, 5, 'Talk now, I am out.');
    call.at(6, () => call.emitTone(5.5, 5.8)).runUntil(20);
    expect(answerTypes(call)).toEqual([
      ['human', 1_000 + FINAL_MS],
      ['voicemail', 5_000 + FINAL_MS + MODEL_MS],
    ]);
    expect(heardStarts(call).slice(1)).toEqual(messageFrom(6_000));
    expect(call.endReason).toBe('voicemail_left');
  });
});

it('a voicemail is recognised by English words although the agent speaks another language', () => {
  const call = outboundCall({ ...AGENT_WITH_MESSAGE, language: 'ja' });
  speaksWithInterims(call, 0.5, 3, 'Hello, leave a message after the tone.').runUntil(20);
  expect(answerTypes(call)[0]?.[0]).toBe('voicemail');
});

describe('end reason without a complete voicemail message', () => {
  it('names the hang-up during the greeting', () => {
    const call = voicemailCall(AGENT_WITH_MESSAGE).hangUpAt(4.5).runUntil(20);
    expect(call.endReason).toBe('caller_hangup');
    expect(call.heard).toEqual([]);
    expect(call.dialogue).toEqual([`user: ${VOICEMAIL_GREETING}`]);
  });

  it('names the hang-up during the message', () => {
    const call = voicemailCall(AGENT_WITH_MESSAGE).hangUpAt(6.2).runUntil(20);
    expect(call.endReason).toBe('caller_hangup');
  });

  it('names the voice failure', () => {
    const call = voicemailCall(AGENT_WITH_MESSAGE, { voice: { fails: 'always' } }).runUntil(20);
    expect(call.endReason).toBe('voice_error');
  });
});
