import { describe, expect, it } from 'vitest';
import { Simulation } from '../simulation/simulate.ts';

/** What lies between two subjects: each of these was a fault that the tests of neither showed. */

const GONE = { provider: 'test', code: 'unavailable', message: 'no', retryable: true } as const;
const NEVER = { never: true } as const;
const LOOKUP = { type: 'custom_function', name: 'lookup', url: 'https://example.com' } as const;
const KEYS = { type: 'send_dtmf', name: 'keys' } as const;
const PRESS = { name: 'keys', arguments: { digits: '1' } } as const;
const BUSY = 'One moment please, I am still on it.';

function soundAt(call: Simulation, from: number, to: number): Simulation {
  return call
    .at(from, (one) => one.media.tell({ type: 'speech_started', audioMs: from * 1000 }))
    .at(to, (one) => one.media.tell({ type: 'speech_stopped', audioMs: to * 1000 }));
}

describe('a reply that is there already', () => {
  it('is not replaced by the answer to a turn: a user whom nobody can hear any more is handed over', () => {
    const call = new Simulation({
      agent: { on_provider_failure: { action: 'transfer', destination: '+4930999999' } },
      transfer: { after: 1, succeeds: true },
      transcriber: [{}, NEVER, NEVER, NEVER],
    });
    soundAt(call, 0.5, 1.5)
      .interim(1.4, 0.5, 'I want a table')
      .at(1.6, (one) => one.hear({ type: 'failed', error: GONE }))
      .run(60);
    expect(call.lines).toContain('user: I want a table');
    expect(call.requests).toEqual([]);
    expect(call.endedWith).toBe('transferred');
  });

  it('is not replaced by a text of the API’s: both are said, the greeting first', () => {
    const call = new Simulation({ agent: { initial_message: 'Hello there.' } });
    call.call.post({ type: 'call.say', text: 'By the way.', interrupt: false });
    call.run(20);
    expect(call.lines).toEqual(['agent: Hello there.', 'agent: By the way.']);
  });

  it('is not replaced by a text that waited for a noise: both are said, the greeting first', () => {
    const call = new Simulation({ agent: { initial_message: 'Hello there.' }, parameters: { direction: 'outbound' } })
      .at(0, (one) => one.leg({ type: 'answered' }))
      .at(1.5, (one) => one.call.post({ type: 'call.say', text: 'By the way.', interrupt: false }));
    soundAt(call, 0.5, 9).run(30);
    expect(call.lines).toEqual(['agent: Hello there.', 'agent: By the way.']);
  });
});

describe('the initial message', () => {
  const delayed = { initial_message: 'Hello.', initial_message_delay: 2 };

  it('whose moment comes during a noise is said behind it', () => {
    const call = soundAt(new Simulation({ agent: delayed }), 1.9, 2.1).run(60);
    expect(call.lines).toEqual(['agent: Hello.']);
    expect(call.heard[0]?.fromMs).toBeLessThan(4_000);
  });

  it('whose moment comes while something else is said follows it', () => {
    const call = new Simulation({ agent: delayed })
      .at(1.9, (one) => one.call.post({ type: 'call.say', text: 'By the way.', interrupt: false }))
      .run(60);
    expect(call.lines).toEqual(['agent: By the way.', 'agent: Hello.']);
  });

  it('whose moment comes during words is their answer, and said once', () => {
    const call = new Simulation({ agent: delayed }).callerSpeaks(1.5, 2.5, 'Good morning.').run(60);
    expect(call.lines).toEqual(['user: Good morning.', 'agent: Hello.']);
    expect(call.requests).toEqual([]);
  });

  it('of a call that we placed comes where the words that held it turn out to be none', () => {
    const call = new Simulation({ agent: { initial_message: 'Hello.' }, parameters: { direction: 'outbound' } })
      .at(0, (one) => one.leg({ type: 'answered' }))
      .interim(0.9, 0.6, 'uh')
      .at(1.4, (one) => one.final(0.6, 1.2, ''))
      .run(60);
    expect(call.lines).toEqual(['agent: Hello.']);
  });
});

describe('a playout that a sound holds', () => {
  it('goes on once the message for a voicemail is decided: nobody interrupts from that', () => {
    const message = { type: 'leave_voicemail_message', name: 'message' } as const;
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [message] }] },
      parameters: { direction: 'outbound' },
      model: [{ text: 'It is me.' }, { after: 1, text: 'Please call back.', calls: [{ name: 'message' }] }],
    })
      .at(0, (one) => one.leg({ type: 'answered' }))
      .callerSpeaks(0.5, 3.5, 'Leave a message after the tone.')
      .callerSpeaks(9, 10, 'To send your message.');
    soundAt(call, 10.9, 12).run(30);
    expect(call.lines.at(-1)).toBe('agent: Please call back.');
    expect(call.endedWith).toBe('voicemail_left');
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
      .at(1, (one) => one.hear(turn('updated', 'I want', 1_000)))
      .at(1.1, (one) => one.hear(lost));
    if (interimFirst) call.interim(1.4, 0.5, 'I want a');
    call.at(1.8, (one) => one.final(0.5, 1.5, 'I want a table')).run(20);
    expect(call.lines).toEqual(['user: I want a table', 'agent: Yes.']);
  });

  it('stand once where one follows that detects turns', () => {
    const call = new Simulation({
      agent,
      parameters: { transcriberTraits: PLAIN, fallbackTranscriberTraits: [NATIVE] },
    });
    soundAt(call, 0.5, 1.5)
      .interim(1, 0.5, 'I want')
      .at(1.1, (one) => one.hear(lost))
      .at(1.8, (one) => one.hear(turn('updated', 'I want a', 1_400)))
      .at(2, (one) => one.hear(turn('ended', 'I want a table', 1_500)))
      .run(20);
    expect(call.lines).toEqual(['user: I want a table', 'agent: Yes.']);
  });

  it('are the turn all the same where the next one hears none', () => {
    const call = new Simulation({
      agent,
      parameters: { transcriberTraits: NATIVE, fallbackTranscriberTraits: [PLAIN] },
    });
    soundAt(call, 0.5, 1.5)
      .at(1, (one) => one.hear(turn('updated', 'I want', 1_000)))
      .at(1.1, (one) => one.hear(lost))
      .run(20);
    expect(call.lines).toEqual(['user: I want', 'agent: Yes.']);
  });
});

describe('a function that takes long', () => {
  it('beside keys that are pressed is told of after ten seconds', () => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [LOOKUP, KEYS] }] },
      model: [{ calls: [PRESS, { name: 'lookup' }] }],
      tools: { lookup: { after: 15, result: {} } },
    })
      .callerSpeaks(0.5, 1.5, 'Look.')
      .run(60);
    expect(call.heard.map(({ text }) => text)).toEqual([BUSY, 'Yes.']);
  });

  it('is told of where its reply was cut by words that turned out to be none', () => {
    const filler_sentence = 'Let me look that up for you in the book of the house.';
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [{ ...LOOKUP, filler_sentence }] }] },
      model: [{ calls: [{ name: 'lookup' }] }],
      tools: { lookup: { after: 15, result: {} } },
    }).callerSpeaks(0.5, 1.5, 'Look.');
    soundAt(call, 2.5, 3.3)
      .interim(3.2, 2.5, 'no wait please')
      .at(3.5, (one) => one.final(2.5, 3.3, ''))
      .run(60);
    expect(call.heard.map(({ text }) => text)).toEqual([filler_sentence, BUSY, 'Yes.']);
  });
});

describe('after the end', () => {
  it('no transcriber is opened, while the last extraction is waited for', () => {
    const call = new Simulation({ agent: { variables: [{ name: 'name' }] } })
      .callerSpeaks(0.5, 1.5, 'Look.')
      .hangUp(1.75)
      .at(1.8, (one) => one.hear({ type: 'failed', error: GONE }))
      .run(60);
    expect(call.listens).toHaveLength(1);
    expect(call.extractions).toHaveLength(1);
  });

  it('that a failure has decided no keys are pressed', () => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [KEYS] }] },
      model: [{ text: 'I am pressing the key for the front desk.', calls: [PRESS] }],
    })
      .callerSpeaks(0.5, 1.5, 'Press.')
      .at(2.5, (one) => one.hear({ type: 'failed', error: { ...GONE, retryable: false } }))
      .run(60);
    expect(call.endedWith).toBe('transcriber_error');
    expect(call.media.dtmf).toEqual([]);
    expect(call.entries('tool_called')).toMatchObject([{ name: 'keys', successful: false }]);
  });
});

describe('what was asked ahead', () => {
  it('is cancelled when a machine is found to be the one who talks', () => {
    const call = new Simulation({
      agent: {},
      parameters: { direction: 'outbound' },
      model: [{ after: 9, text: 'Never.' }],
    })
      .at(0, (one) => one.leg({ type: 'answered' }))
      .callerSpeaks(0.5, 1.5, 'This is Peter Miller')
      .at(1.8, (one) => one.beep(1, 1.6, 'sit'))
      .run(1.85);
    expect(call.requests).toHaveLength(1);
    expect(call.commands.filter(({ type }) => type === 'model.cancel')).toHaveLength(1);
  });
});

describe('a text of the API’s that interrupts', () => {
  const say = (call: Simulation, at: number) =>
    call.at(at, (one) => one.call.post({ type: 'call.say', text: 'By the way.', interrupt: true }));

  it('leaves the user the answer that the model was still thinking of', () => {
    const call = new Simulation({ agent: {}, model: [{ after: 2, text: 'Never.' }, { text: 'At six.' }] });
    say(call.callerSpeaks(0.5, 1.5, 'When do you open?'), 2.5).run(60);
    expect(call.lines).toEqual(['user: When do you open?', 'agent: By the way.', 'agent: At six.']);
  });

  it('leaves the user the answer behind a filler', () => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [{ ...LOOKUP, filler_sentence: 'Hm.' }] }] },
      model: [{ calls: [{ name: 'lookup' }] }, { after: 3, text: 'Never.' }, { text: 'At six.' }],
    });
    say(call.callerSpeaks(0.5, 1.5, 'When do you open?'), 4).run(60);
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
      model: [{ calls: [{ name: 'act' }] }, { text: 'Where were we?' }],
    });
    say(call.callerSpeaks(0.5, 1.5, 'That is all.'), 2.6).run(60);
    expect(call.heard.map(({ text }) => text).slice(1)).toEqual(['By the way.', 'Where were we?']);
    expect(call.requests[1]?.messages.find(({ role }) => role === 'tool')?.content).toBe(told);
  });

  it('is all that is said where the answer had begun', () => {
    const call = new Simulation({ agent: {}, model: [{ text: 'At six o’clock on every day of the week.' }] });
    say(call.callerSpeaks(0.5, 1.5, 'When do you open?'), 2.6).run(60);
    expect(call.heard.map(({ text }) => text)).toEqual(['At six o’clock on every day of the week.', 'By the way.']);
    expect(call.requests).toHaveLength(1);
  });
});
