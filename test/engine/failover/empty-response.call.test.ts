import { describe, expect, it } from 'vitest';
import { rejectionReasons } from '../properties/strict-provider.ts';
import { Simulation } from '../simulation/simulation.ts';

const LOOKUP = {
  type: 'custom_function' as const,
  name: 'lookup',
  url: 'https://example.com',
  filler_sentence: 'One moment.',
};
const MENU_KEYS = { type: 'send_dtmf' as const, name: 'keys' };
const agent = { states: [{ name: 'start', tools: [LOOKUP] }] };
const CALLS = { after: 0.05, toolCalls: [{ name: 'lookup' }] };
const NOTHING = { text: '' };
const LOST = ['I am sorry, I have lost the thread.', 'Could you say that again, please?'];
const heard = (call: Simulation) => call.heard.map(({ text }) => text);

describe('a user whom the model has no answer for', () => {
  it('is told so after eight steps, in the call’s language, and may say it again', () => {
    const call = new Simulation({
      agent: { language: 'de-DE', ...agent },
      model: [...Array.from({ length: 8 }, () => CALLS), { text: 'Gern.' }],
    })
      .userSpeaks(0.5, 1.5, 'Bitte.')
      .userSpeaks(60, 61, 'Noch einmal bitte.')
      .runUntil(70);
    const lost = ['Entschuldigung, ich habe den Faden verloren.', 'Könnten Sie das bitte noch einmal sagen?'];
    expect(heard(call).slice(-3)).toEqual([...lost, 'Gern.']);
    expect(call.modelRequests).toHaveLength(9);
    expect(call.modelRequests[8]?.messages.slice(-2)).toEqual([
      { role: 'assistant', content: lost.join(' ') },
      { role: 'user', content: 'Noch einmal bitte.' },
    ]);
    expect(call.endReason).toBeNull();
  });

  it('was told to wait, and then nothing comes: the model is asked once more, and then they are told', () => {
    const call = new Simulation({ agent, model: [CALLS, NOTHING, NOTHING] }).userSpeaks(0.5, 1.5, 'Go.').runUntil(20);
    expect(heard(call)).toEqual(['One moment.', ...LOST]);
    expect(call.modelRequests).toHaveLength(3);
    expect(call.handle.view().agentState).toBe('listening');
    expect(call.endReason).toBeNull();
  });

  it('hears what the model says when it is asked once more, and no more than that', () => {
    const call = new Simulation({ agent, model: [CALLS, NOTHING, { text: 'It is at nine.' }] })
      .userSpeaks(0.5, 1.5, 'Go.')
      .runUntil(20);
    expect(heard(call)).toEqual(['One moment.', 'It is at nine.']);
  });

  it('is told so where the model only makes mistakes, unless it has said something beside the last', () => {
    const wrong = { toolCalls: [{ name: 'nope' }, { name: 'nope' }] };
    const silent = new Simulation({ agent, model: [wrong, wrong] }).userSpeaks(0.5, 1.5, 'Go.').runUntil(20);
    expect(heard(silent)).toEqual(LOST);
    const spoken = new Simulation({ agent, model: [wrong, { ...wrong, text: 'That is not possible.' }] })
      .userSpeaks(0.5, 1.5, 'Go.')
      .runUntil(20);
    expect(heard(spoken)).toEqual(['That is not possible.']);
  });

  it('is no menu: keys may be all that it is answered with', () => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [MENU_KEYS] }] },
      parameters: { direction: 'outbound' },
      model: [{ text: 'Yes.', toolCalls: [{ name: 'keys', arguments: { digits: '1' } }] }, NOTHING],
    })
      .at(0, (one) => one.emitControlEvent({ type: 'answered' }))
      .userSpeaks(0.5, 2.5, 'For sales, press 1.')
      .runUntil(20);
    expect(call.media.sentDtmf).toEqual(['1']);
    expect(heard(call)).toEqual(['Yes.']);
    expect(call.modelRequests).toHaveLength(2);
  });

  it('is told so where nothing was said at all; the third turn in a row ends the call', () => {
    const empty = Array.from({ length: 6 }, () => NOTHING);
    const call = new Simulation({ agent, model: empty })
      .userSpeaks(0.5, 1.5, 'Hello?')
      .userSpeaks(10, 11, 'Hello again?')
      .userSpeaks(20, 21, 'Are you there?')
      .runUntil(40);
    expect(heard(call)).toEqual([
      ...LOST,
      ...LOST,
      'I am sorry, something went wrong on our side.',
      'Please call again a little later.',
      'Goodbye.',
    ]);
    expect(call.modelRequests).toHaveLength(6);
    expect(call.endReason).toBe('llm_error');
  });

  it('starts again with every answer in words', () => {
    const call = new Simulation({
      agent,
      model: [NOTHING, NOTHING, NOTHING, NOTHING, { text: 'Yes.' }, NOTHING, NOTHING, { text: 'At nine.' }],
    });
    for (const at of [1, 10, 20, 30, 40]) call.userSpeaks(at, at + 1, 'Hello?');
    call.runUntil(50);
    expect(heard(call)).toEqual([...LOST, ...LOST, 'Yes.', ...LOST, 'At nine.']);
    expect(call.endReason).toBeNull();
  });

  it('is answered by the next model, before it is told so', () => {
    const call = new Simulation({
      agent: { ...agent, fallbacks: { llm: [{ provider: 'test', model: 'second' }] } },
      model: [NOTHING, NOTHING, { text: 'It is at nine.' }],
    })
      .userSpeaks(0.5, 1.5, 'When?')
      .runUntil(10);
    expect(heard(call)).toEqual(['It is at nine.']);
    expect(call.modelRequests.map(({ model }) => model)).toEqual(['model', 'model', 'second']);
  });

  it('is no voicemail: nobody there says it again', () => {
    const call = new Simulation({ agent, parameters: { direction: 'outbound' }, model: [NOTHING, NOTHING] })
      .at(0, (one) => one.emitControlEvent({ type: 'answered' }))
      .userSpeaks(0.5, 3, 'Please leave a message after the tone.')
      .at(4, (one) => one.emitTone(3.4, 3.9))
      .runUntil(30);
    expect(heard(call)).not.toContain(LOST[0]);
    expect(call.endReason).toBe('llm_error');
  });

  it('is no menu either: it waits for nothing, and the model is not asked again', () => {
    const call = new Simulation({ agent, parameters: { direction: 'outbound' }, model: [NOTHING, { text: 'Sales.' }] })
      .at(0, (one) => one.emitControlEvent({ type: 'answered' }))
      .userSpeaks(0.5, 3, 'For sales, press 1.')
      .userSpeaks(9, 11, 'Or say the name of the department, or press 2.')
      .runUntil(20);
    expect(heard(call)).toEqual(['Sales.']);
    expect(call.modelRequests).toHaveLength(2);
    expect(call.endReason).toBeNull();
  });
});

describe('what has no sound', () => {
  it('is no answer, and is not given to the voice', () => {
    const call = new Simulation({ agent, model: [{ text: '😀' }, { text: '👍 I see. 😀' }] })
      .userSpeaks(0.5, 1.5, 'Hello?')
      .runUntil(10);
    expect(call.modelRequests).toHaveLength(2);
    expect(call.openedVoices[0]?.texts).toEqual(['👍 I see.']);
    expect(call.dialogue).toEqual(['user: Hello?', 'agent: 👍 I see.']);
  });
});

describe('a user who speaks before the initial message', () => {
  it('is answered by the model where that comes to nothing', () => {
    const call = new Simulation({
      agent: { initial_message: '{{greeting}}', initial_message_delay: 5 },
      model: [{ text: 'Hello to you.' }],
    })
      .userSpeaks(0.5, 1.5, 'Hello?')
      .runUntil(10);
    expect(heard(call)).toEqual(['Hello to you.']);
    expect(call.modelRequests).toHaveLength(1);
  });
});

describe('a call screening whose purpose comes to nothing', () => {
  it('is told the initial message', () => {
    const call = new Simulation({
      agent: { initial_message: 'Hello, this is Anna.', call_purpose: '{{why}}' },
      parameters: { direction: 'outbound' },
    })
      .at(0, (one) => one.emitControlEvent({ type: 'answered' }))
      .interimAt(0.9, 0.5, 'Please say')
      .userSpeaks(0.5, 3, 'Please say your name and why you are calling.')
      .runUntil(10);
    expect(heard(call)).toEqual(['Hello, this is Anna.']);
  });
});

describe('nobody speaks after the agent, and it is asked to go on', () => {
  it('with a note in the user’s place: many models refuse to speak after themselves', () => {
    const call = new Simulation({
      agent: { initial_message: 'Hello there. How can I help you today, my friend?' },
      model: [{ text: 'So, how can I help?' }],
    })
      .at(1, (one) => one.media.emit({ type: 'speech_started', audioMs: 1_000 }))
      .interimAt(1.7, 1, 'what is that')
      .at(2, (one) => one.emitFinal(1, 1.7, ''))
      .at(2.2, (one) => one.media.emit({ type: 'speech_stopped', audioMs: 2_200 }))
      .runUntil(10);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.modelRequests.flatMap(rejectionReasons)).toEqual([]);
    expect(call.modelRequests[0]?.messages.slice(1)).toEqual([
      { role: 'assistant', content: 'Hello there. How' },
      { role: 'user', content: '[The caller has said nothing since. Go on with what you still owe them.]' },
    ]);
    expect(heard(call).at(-1)).toBe('So, how can I help?');
    // It is no word of the user's.
    expect(call.dialogue.filter((line) => line.startsWith('user'))).toEqual([]);
  });
});

describe('a user who asked for a moment', () => {
  it('and is back is asked again after the usual silence', () => {
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
    expect(call.heard.map(({ text, fromMs }) => [text, fromMs])).toEqual([
      ['Good.', 21_500],
      ['Are you there?', 31_950],
    ]);
  });
});
