import { describe, expect, it } from 'vitest';
import { Simulation } from '../simulation/simulation.ts';

/** What lies between two subjects: each of these was a fault that the tests of neither showed. */

const GONE = { provider: 'test', code: 'unavailable', message: 'no', retryable: true } as const;
const NEVER = { neverReady: true } as const;
const LOOKUP = { type: 'custom_function', name: 'lookup', url: 'https://example.com' } as const;
const KEYS = { type: 'send_dtmf', name: 'keys' } as const;
const PRESS = { name: 'keys', arguments: { digits: '1' } } as const;
const BUSY = 'One moment please, I am still on it.';

function soundAt(call: Simulation, from: number, to: number): Simulation {
  return call
    .at(from, (one) => one.media.emit({ type: 'speech_started', audioMs: from * 1000 }))
    .at(to, (one) => one.media.emit({ type: 'speech_stopped', audioMs: to * 1000 }));
}

describe('a reply that is there already', () => {
  it('is not replaced by the answer to a turn: a user whom nobody can hear any more is handed over', () => {
    const call = new Simulation({
      agent: { on_provider_failure: { action: 'transfer', destination: '+4930999999' } },
      transfer: { after: 1, succeeds: true },
      transcriberStreams: [{}, NEVER, NEVER, NEVER],
    });
    soundAt(call, 0.5, 1.5)
      .interimAt(1.4, 0.5, 'I want a table')
      .at(1.6, (one) => one.emitTranscriberEvent({ type: 'failed', error: GONE }))
      .runUntil(60);
    expect(call.dialogue).toContain('user: I want a table');
    expect(call.modelRequests).toEqual([]);
    expect(call.endReason).toBe('transferred');
  });

  it('is not replaced by a text of the API’s: both are said, the greeting first', () => {
    const call = new Simulation({ agent: { initial_message: 'Hello there.' } });
    call.handle.post({ type: 'call.say', text: 'By the way.', interrupt: false });
    call.runUntil(20);
    expect(call.dialogue).toEqual(['agent: Hello there.', 'agent: By the way.']);
  });

  it('is not replaced by a text that waited for a noise: both are said, the greeting first', () => {
    const call = new Simulation({ agent: { initial_message: 'Hello there.' }, parameters: { direction: 'outbound' } })
      .at(0, (one) => one.emitControlEvent({ type: 'answered' }))
      .at(1.5, (one) => one.handle.post({ type: 'call.say', text: 'By the way.', interrupt: false }));
    soundAt(call, 0.5, 9).runUntil(30);
    expect(call.dialogue).toEqual(['agent: Hello there.', 'agent: By the way.']);
  });
});

describe('the initial message', () => {
  const delayed = { initial_message: 'Hello.', initial_message_delay: 2 };

  it('whose moment comes during a noise is said behind it', () => {
    const call = soundAt(new Simulation({ agent: delayed }), 1.9, 2.1).runUntil(60);
    expect(call.dialogue).toEqual(['agent: Hello.']);
    expect(call.heard[0]?.fromMs).toBeLessThan(4_000);
  });

  it('whose moment comes while something else is said follows it', () => {
    const call = new Simulation({ agent: delayed })
      .at(1.9, (one) => one.handle.post({ type: 'call.say', text: 'By the way.', interrupt: false }))
      .runUntil(60);
    expect(call.dialogue).toEqual(['agent: By the way.', 'agent: Hello.']);
  });

  it('whose moment comes during words is their answer, and said once', () => {
    const call = new Simulation({ agent: delayed }).userSpeaks(1.5, 2.5, 'Good morning.').runUntil(60);
    expect(call.dialogue).toEqual(['user: Good morning.', 'agent: Hello.']);
    expect(call.modelRequests).toEqual([]);
  });

  it('of a call that we placed comes where the words that held it turn out to be none', () => {
    const call = new Simulation({ agent: { initial_message: 'Hello.' }, parameters: { direction: 'outbound' } })
      .at(0, (one) => one.emitControlEvent({ type: 'answered' }))
      .interimAt(0.9, 0.6, 'uh')
      .at(1.4, (one) => one.emitFinal(0.6, 1.2, ''))
      .runUntil(60);
    expect(call.dialogue).toEqual(['agent: Hello.']);
  });
});

describe('a playout that a sound holds', () => {
  it('goes on once the message for a voicemail is decided: nobody interrupts from that', () => {
    const message = { type: 'leave_voicemail_message', name: 'message' } as const;
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [message] }] },
      parameters: { direction: 'outbound' },
      model: [{ text: 'It is me.' }, { after: 1, text: 'Please call back.', toolCalls: [{ name: 'message' }] }],
    })
      .at(0, (one) => one.emitControlEvent({ type: 'answered' }))
      .userSpeaks(0.5, 3.5, 'Leave a message after the tone.')
      .userSpeaks(9, 10, 'To send your message.');
    soundAt(call, 10.9, 12).runUntil(30);
    expect(call.dialogue.at(-1)).toBe('agent: Please call back.');
    expect(call.endReason).toBe('voicemail_left');
  });
});

describe('words that a lost transcriber had heard in part', () => {
  const NATIVE = { detectsTurns: true, finalP99Ms: 400 };
  const PLAIN = { detectsTurns: false, finalP99Ms: 400 };
  const agent = { fallbacks: { transcriber: [{ provider: 'other' }] } };
  const lost = { type: 'failed', error: { ...GONE, retryable: false } } as const;
  const turn = (phase: 'updated' | 'ended', text: string, endMs: number) =>
    ({ type: 'turn', phase, text, startMs: 500, endMs }) as const;

  it.each([true, false])('stand once where one follows that detects no turns (interim first: %s)', (interimFirst) => {
    const call = new Simulation({
      agent,
      parameters: { transcriberTraits: NATIVE, fallbackTranscriberTraits: [PLAIN] },
    });
    soundAt(call, 0.5, 1.5)
      .at(1, (one) => one.emitTranscriberEvent(turn('updated', 'I want', 1_000)))
      .at(1.1, (one) => one.emitTranscriberEvent(lost));
    if (interimFirst) call.interimAt(1.4, 0.5, 'I want a');
    call.at(1.8, (one) => one.emitFinal(0.5, 1.5, 'I want a table')).runUntil(20);
    expect(call.dialogue).toEqual(['user: I want a table', 'agent: Yes.']);
  });

  it('stand once where one follows that detects turns', () => {
    const call = new Simulation({
      agent,
      parameters: { transcriberTraits: PLAIN, fallbackTranscriberTraits: [NATIVE] },
    });
    soundAt(call, 0.5, 1.5)
      .interimAt(1, 0.5, 'I want')
      .at(1.1, (one) => one.emitTranscriberEvent(lost))
      .at(1.8, (one) => one.emitTranscriberEvent(turn('updated', 'I want a', 1_400)))
      .at(2, (one) => one.emitTranscriberEvent(turn('ended', 'I want a table', 1_500)))
      .runUntil(20);
    expect(call.dialogue).toEqual(['user: I want a table', 'agent: Yes.']);
  });

  it('are the turn all the same where the next one hears none', () => {
    const call = new Simulation({
      agent,
      parameters: { transcriberTraits: NATIVE, fallbackTranscriberTraits: [PLAIN] },
    });
    soundAt(call, 0.5, 1.5)
      .at(1, (one) => one.emitTranscriberEvent(turn('updated', 'I want', 1_000)))
      .at(1.1, (one) => one.emitTranscriberEvent(lost))
      .runUntil(20);
    expect(call.dialogue).toEqual(['user: I want', 'agent: Yes.']);
  });
});

describe('a function that takes long', () => {
  it('beside keys that are pressed is told of after ten seconds', () => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [LOOKUP, KEYS] }] },
      model: [{ toolCalls: [PRESS, { name: 'lookup' }] }],
      tools: { lookup: { after: 15, result: {} } },
    })
      .userSpeaks(0.5, 1.5, 'Look.')
      .runUntil(60);
    expect(call.heard.map(({ text }) => text)).toEqual([BUSY, 'Yes.']);
  });

  it('is told of where its reply was cut by words that turned out to be none', () => {
    const filler_sentence = 'Let me look that up for you in the book of the house.';
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [{ ...LOOKUP, filler_sentence }] }] },
      model: [{ toolCalls: [{ name: 'lookup' }] }],
      tools: { lookup: { after: 15, result: {} } },
    }).userSpeaks(0.5, 1.5, 'Look.');
    soundAt(call, 2.5, 3.3)
      .interimAt(3.2, 2.5, 'no wait please')
      .at(3.5, (one) => one.emitFinal(2.5, 3.3, ''))
      .runUntil(60);
    expect(call.heard.map(({ text }) => text)).toEqual([filler_sentence, BUSY, 'Yes.']);
  });
});

describe('after the end', () => {
  it('no transcriber is opened, while the last extraction is waited for', () => {
    const call = new Simulation({ agent: { variables: [{ name: 'name' }] } })
      .userSpeaks(0.5, 1.5, 'Look.')
      .hangUpAt(1.75)
      .at(1.8, (one) => one.emitTranscriberEvent({ type: 'failed', error: GONE }))
      .runUntil(60);
    expect(call.transcriberStreams).toHaveLength(1);
    expect(call.extractionRequests).toHaveLength(1);
  });

  it('that a failure has decided no keys are pressed', () => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [KEYS] }] },
      model: [{ text: 'I am pressing the key for the front desk.', toolCalls: [PRESS] }],
    })
      .userSpeaks(0.5, 1.5, 'Press.')
      .at(2.5, (one) => one.emitTranscriberEvent({ type: 'failed', error: { ...GONE, retryable: false } }))
      .runUntil(60);
    expect(call.endReason).toBe('transcriber_error');
    expect(call.media.sentDtmf).toEqual([]);
    expect(call.journalEntries('tool_called')).toMatchObject([{ name: 'keys', successful: false }]);
  });
});

describe('what was asked ahead', () => {
  it('is cancelled when a machine is found to be the one who talks', () => {
    const call = new Simulation({
      agent: {},
      parameters: { direction: 'outbound' },
      model: [{ after: 9, text: 'Never.' }],
    })
      .at(0, (one) => one.emitControlEvent({ type: 'answered' }))
      .userSpeaks(0.5, 1.5, 'This is Peter Miller')
      .at(1.8, (one) => one.emitTone(1, 1.6, 'sit'))
      .runUntil(1.85);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.commands.filter(({ type }) => type === 'model.cancel')).toHaveLength(1);
  });
});

describe('a text of the API’s that interrupts', () => {
  const say = (call: Simulation, at: number) =>
    call.at(at, (one) => one.handle.post({ type: 'call.say', text: 'By the way.', interrupt: true }));

  it('leaves the user the answer that the model was still thinking of', () => {
    const call = new Simulation({ agent: {}, model: [{ after: 2, text: 'Never.' }, { text: 'At six.' }] });
    say(call.userSpeaks(0.5, 1.5, 'When do you open?'), 2.5).runUntil(60);
    expect(call.dialogue).toEqual(['user: When do you open?', 'agent: By the way.', 'agent: At six.']);
  });

  it('leaves the user the answer behind a filler', () => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [{ ...LOOKUP, filler_sentence: 'Hm.' }] }] },
      model: [{ toolCalls: [{ name: 'lookup' }] }, { after: 3, text: 'Never.' }, { text: 'At six.' }],
    });
    say(call.userSpeaks(0.5, 1.5, 'When do you open?'), 4).runUntil(60);
    expect(call.heard.map(({ text }) => text)).toEqual(['Hm.', 'By the way.', 'At six.']);
  });

  it.each([
    ['hang_up', 'Not done: another message was to be said at once before the goodbye was over: the call goes on.'],
    ['transfer_call', 'Not done: another message was to be said at once before it was.'],
  ] as const)('has the model told what is not done because of it: %s', (type, told) => {
    const act = { name: 'act', filler_sentence: 'Just one moment please, dear caller.' };
    const tools = [type === 'hang_up' ? { ...act, type } : { ...act, type, destination: '+4930111111' }];
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools }] },
      model: [{ toolCalls: [{ name: 'act' }] }, { text: 'Where were we?' }],
    });
    say(call.userSpeaks(0.5, 1.5, 'That is all.'), 2.6).runUntil(60);
    expect(call.heard.map(({ text }) => text).slice(1)).toEqual(['By the way.', 'Where were we?']);
    expect(call.modelRequests[1]?.messages.find(({ role }) => role === 'tool')?.content).toBe(told);
  });

  it('is all that is said where the answer had begun', () => {
    const call = new Simulation({ agent: {}, model: [{ text: 'At six o’clock on every day of the week.' }] });
    say(call.userSpeaks(0.5, 1.5, 'When do you open?'), 2.6).runUntil(60);
    expect(call.heard.map(({ text }) => text)).toEqual(['At six o’clock on every day of the week.', 'By the way.']);
    expect(call.modelRequests).toHaveLength(1);
  });
});
