import { describe, expect, it } from 'vitest';
import { rejectionReasons } from '../properties/strict-provider.ts';
import { CHARACTER_MS, RESPONSE_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { Simulation } from '../simulation/simulation.ts';

const LOOKUP = {
  type: 'custom_function' as const,
  name: 'lookup',
  url: 'https://example.com',
  filler_sentence: 'One moment.',
};
const SEND_DTMF = { type: 'send_dtmf' as const, name: 'keys' };
const agent = { states: [{ name: 'start', tools: [LOOKUP] }] };
const TOOL_CALL = { after: 0.05, toolCalls: [{ name: 'lookup' }] };
/** The default silence before a presence check. */
const IDLE_THRESHOLD_MS = 10_000;
const EMPTY = { text: '' };
const APOLOGY = ['I am sorry, I have lost the thread.', 'Could you say that again, please?'];

describe('user turn without a response of the model', () => {
  it('gets an apology after eight generations with tool calls, in the language of the call', () => {
    const call = new Simulation({
      agent: { language: 'de-DE', ...agent },
      model: [...Array.from({ length: 8 }, () => TOOL_CALL), { text: 'Gern.' }],
    })
      .userSpeaks(0.5, 1.5, 'Bitte.')
      .userSpeaks(60, 61, 'Noch einmal bitte.')
      .runUntil(70);
    const germanApology = ['Entschuldigung, ich habe den Faden verloren.', 'Könnten Sie das bitte noch einmal sagen?'];
    expect(call.heardTexts.slice(-3)).toEqual([...germanApology, 'Gern.']);
    expect(call.modelRequests).toHaveLength(9);
    expect(call.modelRequests[8]?.messages.slice(-2)).toEqual([
      { role: 'assistant', content: germanApology.join(' ') },
      { role: 'user', content: 'Noch einmal bitte.' },
    ]);
    expect(call.endReason).toBeNull();
  });

  it('gets an apology when the model has nothing after a filler, twice', () => {
    const call = new Simulation({ agent, model: [TOOL_CALL, EMPTY, EMPTY] }).userSpeaks(0.5, 1.5, 'Go.').runUntil(20);
    expect(call.heardTexts).toEqual(['One moment.', ...APOLOGY]);
    expect(call.modelRequests).toHaveLength(3);
    expect(call.handle.view().agentState).toBe('listening');
    expect(call.endReason).toBeNull();
  });

  it('gets the response of the second request, and no apology', () => {
    const call = new Simulation({ agent, model: [TOOL_CALL, EMPTY, { text: 'It is at nine.' }] })
      .userSpeaks(0.5, 1.5, 'Go.')
      .runUntil(20);
    expect(call.heardTexts).toEqual(['One moment.', 'It is at nine.']);
  });

  it('gets an apology when the model calls unknown tools, unless it wrote a text too', () => {
    const unknownTools = { toolCalls: [{ name: 'nope' }, { name: 'nope' }] };
    const withoutText = new Simulation({ agent, model: [unknownTools, unknownTools] })
      .userSpeaks(0.5, 1.5, 'Go.')
      .runUntil(20);
    expect(withoutText.heardTexts).toEqual(APOLOGY);
    const withText = new Simulation({
      agent,
      model: [unknownTools, { ...unknownTools, text: 'That is not possible.' }],
    })
      .userSpeaks(0.5, 1.5, 'Go.')
      .runUntil(20);
    expect(withText.heardTexts).toEqual(['That is not possible.']);
  });

  it('gets no apology from a menu’s prompt: DTMF digits are a response', () => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [SEND_DTMF] }] },
      parameters: { direction: 'outbound' },
      model: [{ text: 'Yes.', toolCalls: [{ name: 'keys', arguments: { digits: '1' } }] }, EMPTY],
    })
      .at(0, (simulation) => simulation.emitControlEvent({ type: 'answered' }))
      .userSpeaks(0.5, 2.5, 'For sales, press 1.')
      .runUntil(20);
    expect(call.media.sentDtmf).toEqual(['1']);
    expect(call.heardTexts).toEqual(['Yes.']);
    expect(call.modelRequests).toHaveLength(2);
  });

  it('gets an apology; the third in a row ends the call', () => {
    const model = Array.from({ length: 6 }, () => EMPTY);
    const call = new Simulation({ agent, model })
      .userSpeaks(0.5, 1.5, 'Hello?')
      .userSpeaks(10, 11, 'Hello again?')
      .userSpeaks(20, 21, 'Are you there?')
      .runUntil(40);
    expect(call.heardTexts).toEqual([
      ...APOLOGY,
      ...APOLOGY,
      'I am sorry, something went wrong on our side.',
      'Please call again a little later.',
      'Goodbye.',
    ]);
    expect(call.modelRequests).toHaveLength(6);
    expect(call.endReason).toBe('llm_error');
  });

  it('starts a new count after each response with speech', () => {
    const call = new Simulation({
      agent,
      model: [EMPTY, EMPTY, EMPTY, EMPTY, { text: 'Yes.' }, EMPTY, EMPTY, { text: 'At nine.' }],
    });
    for (const at of [1, 10, 20, 30, 40]) call.userSpeaks(at, at + 1, 'Hello?');
    call.runUntil(50);
    expect(call.heardTexts).toEqual([...APOLOGY, ...APOLOGY, 'Yes.', ...APOLOGY, 'At nine.']);
    expect(call.endReason).toBeNull();
  });

  it('gets the response of a fallback model before an apology', () => {
    const call = new Simulation({
      agent: { ...agent, fallbacks: { llm: [{ provider: 'test', model: 'second' }] } },
      model: [EMPTY, EMPTY, { text: 'It is at nine.' }],
    })
      .userSpeaks(0.5, 1.5, 'When?')
      .runUntil(10);
    expect(call.heardTexts).toEqual(['It is at nine.']);
    expect(call.modelRequests.map(({ model }) => model)).toEqual(['model', 'model', 'second']);
  });

  it('ends the call without that apology if a voicemail spoke', () => {
    const call = new Simulation({ agent, parameters: { direction: 'outbound' }, model: [EMPTY, EMPTY] })
      .at(0, (simulation) => simulation.emitControlEvent({ type: 'answered' }))
      .userSpeaks(0.5, 3, 'Please leave a message after the tone.')
      .at(4, (simulation) => simulation.emitTone(3.4, 3.9))
      .runUntil(30);
    expect(call.heardTexts).not.toContain(APOLOGY[0]);
    expect(call.endReason).toBe('llm_error');
  });

  it('gets no apology and no second request if a menu spoke', () => {
    const call = new Simulation({ agent, parameters: { direction: 'outbound' }, model: [EMPTY, { text: 'Sales.' }] })
      .at(0, (simulation) => simulation.emitControlEvent({ type: 'answered' }))
      .userSpeaks(0.5, 3, 'For sales, press 1.')
      .userSpeaks(9, 11, 'Or say the name of the department, or press 2.')
      .runUntil(20);
    expect(call.heardTexts).toEqual(['Sales.']);
    expect(call.modelRequests).toHaveLength(2);
    expect(call.endReason).toBeNull();
  });
});

describe('response without speakable characters', () => {
  it('counts as empty, and is not given to the voice', () => {
    const call = new Simulation({ agent, model: [{ text: '😀' }, { text: '👍 I see. 😀' }] })
      .userSpeaks(0.5, 1.5, 'Hello?')
      .runUntil(10);
    expect(call.modelRequests).toHaveLength(2);
    expect(call.openedVoices[0]?.texts).toEqual(['👍 I see.']);
    expect(call.dialogue).toEqual(['user: Hello?', 'agent: 👍 I see.']);
  });
});

describe('texts that are empty after their placeholders are filled', () => {
  it('leave the response to the model when the user speaks before the initial message', () => {
    const call = new Simulation({
      agent: { initial_message: '{{greeting}}', initial_message_delay: 5 },
      model: [{ text: 'Hello to you.' }],
    })
      .userSpeaks(0.5, 1.5, 'Hello?')
      .runUntil(10);
    expect(call.heardTexts).toEqual(['Hello to you.']);
    expect(call.modelRequests).toHaveLength(1);
  });
});

describe('empty purpose of the call', () => {
  it('gives way to the initial message', () => {
    const call = new Simulation({
      agent: { initial_message: 'Hello, this is Anna.', call_purpose: '{{why}}' },
      parameters: { direction: 'outbound' },
    })
      .at(0, (simulation) => simulation.emitControlEvent({ type: 'answered' }))
      .interimAt(0.9, 0.5, 'Please say')
      .userSpeaks(0.5, 3, 'Please say your name and why you are calling.')
      .runUntil(10);
    expect(call.heardTexts).toEqual(['Hello, this is Anna.']);
  });
});

describe('request after an interruption without words', () => {
  it('ends with a note in the user’s place, because many models refuse two agent turns in a row', () => {
    const call = new Simulation({
      agent: { initial_message: 'Hello there. How can I help you today, my friend?' },
      model: [{ text: 'So, how can I help?' }],
    })
      .at(1, (simulation) => simulation.media.emit({ type: 'speech_started', audioMs: 1_000 }))
      .interimAt(1.7, 1, 'what is that')
      .at(2, (simulation) => simulation.emitFinal(1, 1.7, ''))
      .at(2.2, (simulation) => simulation.media.emit({ type: 'speech_stopped', audioMs: 2_200 }))
      .runUntil(10);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.modelRequests.flatMap(rejectionReasons)).toEqual([]);
    expect(call.modelRequests[0]?.messages.slice(1)).toEqual([
      { role: 'assistant', content: 'Hello there. How can I help' },
      { role: 'user', content: '[The caller has said nothing since. Go on with what you still owe them.]' },
    ]);
    expect(call.heardTexts.at(-1)).toBe('So, how can I help?');
    // The note is not part of the transcript.
    expect(call.dialogue.filter((turn) => turn.startsWith('user'))).toEqual([]);
  });
});

describe('presence check after a `wait` tool call', () => {
  it('comes after the usual silence once the user has spoken again', () => {
    const call = new Simulation({
      agent: {
        presence_check_phrases: ['Are you there?'],
        states: [{ name: 'start', tools: [{ type: 'wait', name: 'wait' }] }],
      },
      model: [{ toolCalls: [{ name: 'wait' }] }, { text: 'Good.' }],
    })
      .userSpeaks(1, 2, 'One moment.')
      .userSpeaks(20, 21, 'I am back.')
      .runUntil(35);
    const responseMs = 21_000 + RESPONSE_MS;
    expect(call.heard.map(({ text, fromMs }) => [text, fromMs])).toEqual([
      ['Good.', responseMs],
      ['Are you there?', responseMs + 'Good.'.length * CHARACTER_MS + IDLE_THRESHOLD_MS + VOICE_MS],
    ]);
  });
});
