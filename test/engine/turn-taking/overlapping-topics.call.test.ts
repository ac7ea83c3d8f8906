import { describe, expect, it } from 'vitest';
import { Simulation } from '../simulation/simulation.ts';

/** Regressions in the interplay of two topics, which the tests of neither topic showed. */

const PROVIDER_ERROR = { provider: 'test', code: 'unavailable', message: 'no', retryable: true } as const;
const NEVER_READY = { neverReady: true } as const;
const LOOKUP = { type: 'custom_function', name: 'lookup', url: 'https://example.com' } as const;
const SEND_DTMF = { type: 'send_dtmf', name: 'keys' } as const;
const DTMF_CALL = { name: 'keys', arguments: { digits: '1' } } as const;
const TOOL_FILLER = 'One moment please, I am still on it.';

function soundDuring(call: Simulation, from: number, to: number): Simulation {
  return call
    .at(from, (call) => call.media.emit({ type: 'speech_started', audioMs: from * 1000 }))
    .at(to, (call) => call.media.emit({ type: 'speech_stopped', audioMs: to * 1000 }));
}

describe('an existing reply', () => {
  it('is not replaced by the answer to a turn: after the loss of all transcribers the user is transferred', () => {
    const call = new Simulation({
      agent: { on_provider_failure: { action: 'transfer', destination: '+4930999999' } },
      transfer: { after: 1, succeeds: true },
      transcriberStreams: [{}, ...Array.from({ length: 10 }, () => NEVER_READY)],
    });
    soundDuring(call, 0.5, 1.5)
      .interimAt(1.4, 0.5, 'I want a table')
      .at(1.6, (call) => call.emitTranscriberEvent({ type: 'failed', error: PROVIDER_ERROR }))
      .runUntil(60);
    expect(call.dialogue).toContain('user: I want a table');
    expect(call.modelRequests).toEqual([]);
    expect(call.endReason).toBe('transferred');
  });

  it('is not replaced by a say request: the initial message is spoken first, then the text', () => {
    const call = new Simulation({ agent: { initial_message: 'Hello there.' } });
    call.handle.post({ type: 'call.say', text: 'By the way.', interrupt: false });
    call.runUntil(20);
    expect(call.dialogue).toEqual(['agent: Hello there.', 'agent: By the way.']);
  });

  it('is not replaced by a say request that waited for the end of a noise', () => {
    const call = new Simulation({ agent: { initial_message: 'Hello there.' }, parameters: { direction: 'outbound' } })
      .at(0, (call) => call.emitControlEvent({ type: 'answered' }))
      .at(1.5, (call) => call.handle.post({ type: 'call.say', text: 'By the way.', interrupt: false }));
    soundDuring(call, 0.5, 9).runUntil(30);
    expect(call.dialogue).toEqual(['agent: Hello there.', 'agent: By the way.']);
  });
});

describe('the initial message', () => {
  const delayed = { initial_message: 'Hello.', initial_message_delay: 2 };

  it('is spoken after a noise during which it becomes due', () => {
    const call = soundDuring(new Simulation({ agent: delayed }), 1.9, 2.1).runUntil(60);
    expect(call.dialogue).toEqual(['agent: Hello.']);
    expect(call.heard[0]?.fromMs).toBeLessThan(4_000);
  });

  it('follows other speech during which it becomes due', () => {
    const call = new Simulation({ agent: delayed })
      .at(1.9, (call) => call.handle.post({ type: 'call.say', text: 'By the way.', interrupt: false }))
      .runUntil(60);
    expect(call.dialogue).toEqual(['agent: By the way.', 'agent: Hello.']);
  });

  it('answers the user’s words during which it becomes due, and is spoken once', () => {
    const call = new Simulation({ agent: delayed }).userSpeaks(1.5, 2.5, 'Good morning.').runUntil(60);
    expect(call.dialogue).toEqual(['user: Good morning.', 'agent: Hello.']);
    expect(call.modelRequests).toEqual([]);
  });

  it('of an outbound call is spoken when the words that delayed it turn out to be noise', () => {
    const call = new Simulation({ agent: { initial_message: 'Hello.' }, parameters: { direction: 'outbound' } })
      .at(0, (call) => call.emitControlEvent({ type: 'answered' }))
      .interimAt(0.9, 0.6, 'uh')
      .at(1.4, (call) => call.emitFinal(0.6, 1.2, ''))
      .runUntil(60);
    expect(call.dialogue).toEqual(['agent: Hello.']);
  });
});

describe('playback that a sound has paused', () => {
  it('resumes once the voicemail message is decided, which cannot be interrupted', () => {
    const message = { type: 'leave_voicemail_message', name: 'message' } as const;
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [message] }] },
      parameters: { direction: 'outbound' },
      model: [{ text: 'It is me.' }, { after: 1, text: 'Please call back.', toolCalls: [{ name: 'message' }] }],
    })
      .at(0, (call) => call.emitControlEvent({ type: 'answered' }))
      .userSpeaks(0.5, 3.5, 'Leave a message after the tone.')
      .userSpeaks(9, 10, 'To send your message.');
    soundDuring(call, 10.9, 12).runUntil(30);
    expect(call.dialogue.at(-1)).toBe('agent: Please call back.');
    expect(call.endReason).toBe('voicemail_left');
  });
});

describe('words that a lost transcriber has partly transcribed', () => {
  const TURN_DETECTING = { detectsTurns: true, finalP99Ms: 400 };
  const WITHOUT_TURNS = { detectsTurns: false, finalP99Ms: 400 };
  const agent = { fallbacks: { transcriber: [{ provider: 'other' }] } };
  const transcriberLost = { type: 'failed', error: { ...PROVIDER_ERROR, retryable: false } } as const;
  const turn = (phase: 'updated' | 'ended', text: string, endMs: number) =>
    ({ type: 'turn', phase, text, startMs: 500, endMs }) as const;

  it.each([true, false])('appear once if the fallback detects no turns (interim first: %s)', (interimFirst) => {
    const call = new Simulation({
      agent,
      parameters: { transcriberTraits: TURN_DETECTING, fallbackTranscriberTraits: [WITHOUT_TURNS] },
    });
    soundDuring(call, 0.5, 1.5)
      .at(1, (call) => call.emitTranscriberEvent(turn('updated', 'I want', 1_000)))
      .at(1.1, (call) => call.emitTranscriberEvent(transcriberLost));
    if (interimFirst) call.interimAt(1.4, 0.5, 'I want a');
    call.at(1.8, (call) => call.emitFinal(0.5, 1.5, 'I want a table')).runUntil(20);
    expect(call.dialogue).toEqual(['user: I want a table', 'agent: Yes.']);
  });

  it('appear once if the fallback detects turns', () => {
    const call = new Simulation({
      agent,
      parameters: { transcriberTraits: WITHOUT_TURNS, fallbackTranscriberTraits: [TURN_DETECTING] },
    });
    soundDuring(call, 0.5, 1.5)
      .interimAt(1, 0.5, 'I want')
      .at(1.1, (call) => call.emitTranscriberEvent(transcriberLost))
      .at(1.8, (call) => call.emitTranscriberEvent(turn('updated', 'I want a', 1_400)))
      .at(2, (call) => call.emitTranscriberEvent(turn('ended', 'I want a table', 1_500)))
      .runUntil(20);
    expect(call.dialogue).toEqual(['user: I want a table', 'agent: Yes.']);
  });

  it('form the turn if the fallback transcribes none', () => {
    const call = new Simulation({
      agent,
      parameters: { transcriberTraits: TURN_DETECTING, fallbackTranscriberTraits: [WITHOUT_TURNS] },
    });
    soundDuring(call, 0.5, 1.5)
      .at(1, (call) => call.emitTranscriberEvent(turn('updated', 'I want', 1_000)))
      .at(1.1, (call) => call.emitTranscriberEvent(transcriberLost))
      .runUntil(20);
    expect(call.dialogue).toEqual(['user: I want', 'agent: Yes.']);
  });
});

describe('a slow custom function', () => {
  it('causes tool fillers, even beside sent DTMF digits', () => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [LOOKUP, SEND_DTMF] }] },
      model: [{ toolCalls: [DTMF_CALL, { name: 'lookup' }] }],
      tools: { lookup: { after: 15, result: {} } },
    })
      .userSpeaks(0.5, 1.5, 'Look.')
      .runUntil(60);
    expect(call.heard.map(({ text }) => text)).toEqual(['One moment, please.', TOOL_FILLER, 'Yes.']);
  });

  it('causes a tool filler after its reply was interrupted by words that were withdrawn', () => {
    const filler_sentence = 'Let me look that up for you in the book of the house.';
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [{ ...LOOKUP, filler_sentence }] }] },
      model: [{ toolCalls: [{ name: 'lookup' }] }],
      tools: { lookup: { after: 15, result: {} } },
    }).userSpeaks(0.5, 1.5, 'Look.');
    soundDuring(call, 2.5, 3.3)
      .interimAt(3.2, 2.5, 'no wait please')
      .at(3.5, (call) => call.emitFinal(2.5, 3.3, ''))
      .runUntil(60);
    expect(call.heard.map(({ text }) => text)).toEqual([filler_sentence, TOOL_FILLER, TOOL_FILLER, 'Yes.']);
  });
});

describe('after the end of the call', () => {
  it('no transcriber is opened during the last extraction', () => {
    const call = new Simulation({ agent: { variables: [{ name: 'name' }] } })
      .userSpeaks(0.5, 1.5, 'Look.')
      .hangUpAt(1.75)
      .at(1.8, (call) => call.emitTranscriberEvent({ type: 'failed', error: PROVIDER_ERROR }))
      .runUntil(60);
    expect(call.transcriberStreams).toHaveLength(1);
    expect(call.extractionRequests).toHaveLength(1);
  });

  it('no DTMF digits are sent if a provider failure ended it', () => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [SEND_DTMF] }] },
      model: [{ text: 'I am pressing the key for the front desk.', toolCalls: [DTMF_CALL] }],
    })
      .userSpeaks(0.5, 1.5, 'Press.')
      .at(2.5, (call) => call.emitTranscriberEvent({ type: 'failed', error: { ...PROVIDER_ERROR, retryable: false } }))
      .runUntil(60);
    expect(call.endReason).toBe('transcriber_error');
    expect(call.media.sentDtmf).toEqual([]);
    expect(call.journalEntries('tool_called')).toMatchObject([{ name: 'keys', successful: false }]);
  });
});

describe('an eager generation', () => {
  it('is cancelled when a tone reveals a machine', () => {
    const call = new Simulation({
      agent: {},
      parameters: { direction: 'outbound' },
      model: [{ after: 9, text: 'Never.' }],
    })
      .at(0, (call) => call.emitControlEvent({ type: 'answered' }))
      .userSpeaks(0.5, 1.5, 'This is Peter Miller')
      .at(1.8, (call) => call.emitTone(1, 1.6, 'sit'))
      .runUntil(1.85);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.commands.filter(({ type }) => type === 'model.cancel')).toHaveLength(1);
  });
});

describe('a say request that interrupts', () => {
  const sayWithInterrupt = (call: Simulation, at: number) =>
    call.at(at, (call) => call.handle.post({ type: 'call.say', text: 'By the way.', interrupt: true }));

  it('is followed by the answer that the model was generating', () => {
    const call = new Simulation({ agent: {}, model: [{ after: 2, text: 'Never.' }, { text: 'At six.' }] });
    sayWithInterrupt(call.userSpeaks(0.5, 1.5, 'When do you open?'), 2.5).runUntil(60);
    expect(call.dialogue).toEqual(['user: When do you open?', 'agent: By the way.', 'agent: At six.']);
  });

  it('is followed by the answer whose filler was already spoken', () => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [{ ...LOOKUP, filler_sentence: 'Hm.' }] }] },
      model: [{ toolCalls: [{ name: 'lookup' }] }, { after: 3, text: 'Never.' }, { text: 'At six.' }],
    });
    sayWithInterrupt(call.userSpeaks(0.5, 1.5, 'When do you open?'), 4).runUntil(60);
    expect(call.heard.map(({ text }) => text)).toEqual(['Hm.', 'By the way.', 'At six.']);
  });

  it.each([
    ['hang_up', 'Not done: another message was to be said at once before the goodbye was over: the call goes on.'],
    ['transfer_call', 'Not done: another message was to be said at once before it was.'],
  ] as const)('cancels the pending %s, and reports that to the model', (type, expectedContent) => {
    const tool = { name: 'act', filler_sentence: 'Just one moment please, dear caller.' };
    const tools = [type === 'hang_up' ? { ...tool, type } : { ...tool, type, destination: '+4930111111' }];
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools }] },
      model: [{ toolCalls: [{ name: 'act' }] }, { text: 'Where were we?' }],
    });
    sayWithInterrupt(call.userSpeaks(0.5, 1.5, 'That is all.'), 2.6).runUntil(60);
    expect(call.heard.map(({ text }) => text).slice(1)).toEqual(['By the way.', 'Where were we?']);
    expect(call.modelRequests[1]?.messages.find(({ role }) => role === 'tool')?.content).toBe(expectedContent);
  });

  it('is not followed by an answer that had already been spoken', () => {
    const call = new Simulation({ agent: {}, model: [{ text: 'At six o’clock on every day of the week.' }] });
    sayWithInterrupt(call.userSpeaks(0.5, 1.5, 'When do you open?'), 2.6).runUntil(60);
    expect(call.heard.map(({ text }) => text)).toEqual(['At six o’clock on every day of the week.', 'By the way.']);
    expect(call.modelRequests).toHaveLength(1);
  });
});
