import { describe, expect, it } from 'vitest';
import { MODEL_MS_MAX } from '../../../engine/current-providers/provider-timeouts.ts';
import { SILENCE_MS } from '../../../engine/fillers/filler.ts';
import { UNSTABLE_WORDS_MS_MAX } from '../../../engine/turn-detection/endpoint-delay.ts';
import {
  CHARACTER_MS,
  FINAL_MS,
  MODEL_MS,
  PAUSING_SPEECH_MS,
  RESPONSE_MS,
  VOICE_MS,
} from '../simulation/default-timing.ts';
import { Simulation } from '../simulation/simulation.ts';

const LOOKUP = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' };
/** From the commit of a turn, or from a tool result, to the agent's first audio. */
const ANSWER_MS = MODEL_MS + VOICE_MS;
const durationOf = (text: string) => text.length * CHARACTER_MS;
const SENTENCE = 'One two three four five six.';
const SAY_TEXT = 'By the way.';
const STATES = [{ name: 'start', tools: [LOOKUP] }];

describe('the user’s words', () => {
  it('during a tool run are answered at once; the tool runs once, and its result is answered next', () => {
    const call = new Simulation({
      agent: { states: STATES },
      model: [{ toolCalls: [{ name: 'lookup' }] }, { text: 'Two.' }, { text: 'Done.' }],
      tools: { lookup: { after: 4, result: { content: 'done' } } },
    })
      .userSpeaks(0.5, 1, 'Book it.')
      .userSpeaks(2, 3, 'And for two please.')
      .runUntil(12);
    expect(call.toolRuns).toHaveLength(1);
    expect(call.modelRequests.map(({ messages }) => messages.slice(1).map(({ role }) => role))).toEqual([
      ['user'],
      ['user', 'assistant', 'tool', 'user'],
      ['user', 'assistant', 'tool', 'user', 'assistant', 'user'],
    ]);
    const resultMs = 1_000 + FINAL_MS + MODEL_MS + 4_000;
    expect(call.heard.map(({ text, fromMs }) => [text, fromMs])).toEqual([
      ['Two.', 3_000 + FINAL_MS + ANSWER_MS],
      ['Done.', resultMs + ANSWER_MS],
    ]);
  });

  it('between two tool calls drop the second model request, and keep the first result', () => {
    const call = new Simulation({
      agent: { states: STATES },
      model: [{ toolCalls: [{ name: 'lookup' }] }, { after: 5, toolCalls: [{ name: 'lookup' }] }, { text: 'Fine.' }],
      tools: { lookup: { after: 0.3, result: { content: 'first' } } },
    })
      .userSpeaks(0.5, 1, 'Book it.')
      .userSpeaks(2, 3, 'Forget about it.')
      .runUntil(12);
    expect(call.toolRuns).toHaveLength(1);
    expect(call.cancelledGenerations).toBe(1);
    expect(call.modelRequests[2]?.messages.slice(1).map((message) => [message.role, message.content])).toEqual([
      ['user', 'Book it.'],
      ['assistant', ''],
      ['tool', 'first'],
      ['user', 'Forget about it.'],
    ]);
    expect(call.heard.map(({ text }) => text)).toEqual(['Fine.']);
  });

  it('interrupt a filler, but not its tool', () => {
    const call = new Simulation({
      agent: {
        states: [{ name: 'start', tools: [{ ...LOOKUP, filler_sentence: 'One moment, I am looking it up.' }] }],
      },
      model: [{ toolCalls: [{ name: 'lookup' }] }, { text: 'Fine.' }],
      tools: { lookup: { after: 3, result: { content: 'found' } } },
    })
      .userSpeaks(0.5, 1, 'Book it.')
      .userSpeaks(1.8, 2.6, 'Make it two please.')
      .runUntil(12);
    expect(call.heard.map(({ text, toMs }) => [text, toMs])[0]).toEqual([
      'One moment, I am looking it up.',
      1_800 + PAUSING_SPEECH_MS,
    ]);
    expect(call.modelRequests).toHaveLength(3);
    expect(call.modelRequests[2]?.messages.at(-1)?.content).toContain('"found"');
    expect(call.heardTexts.slice(1)).toEqual(['Fine.', 'Yes.']);
  });
});

describe('a sentence of a dropped reply', () => {
  it('is never played in the next turn, even if its audio arrives late', () => {
    const call = new Simulation({
      agent: {},
      model: [{ text: 'Stale sentence one. Stale sentence two.' }, { text: 'Fresh.' }],
      voice: { after: 1.5 },
    })
      .userSpeaks(0.5, 1, 'Hello?')
      .userSpeaks(1.8, 2.6, 'No, something else.')
      .runUntil(12);
    expect(call.heard.map(({ text }) => text)).toEqual(['Fresh.']);
    expect(call.dialogue).toEqual(['user: Hello? No, something else.', 'agent: Fresh.']);
  });
});

describe('a say request', () => {
  const agent = { initial_message: SENTENCE, initial_message_interruptible: false };

  it('waits for the end of an uninterruptible message, even with `interrupt`', () => {
    const call = new Simulation({ agent })
      .at(0.5, (call) => call.handle.post({ type: 'call.say', text: SAY_TEXT, interrupt: true }))
      .runUntil(10);
    const sentenceEndMs = VOICE_MS + durationOf(SENTENCE);
    const sayMs = sentenceEndMs + VOICE_MS;
    expect(call.heard).toEqual([
      { text: SENTENCE, fromMs: VOICE_MS, toMs: sentenceEndMs },
      { text: SAY_TEXT, fromMs: sayMs, toMs: sayMs + durationOf(SAY_TEXT) },
    ]);
    expect(call.commands.some(({ type }) => type === 'playout.clear')).toBe(false);
  });

  it('waits for the end of the user turn, even with `interrupt`', () => {
    const call = new Simulation({ agent: {} })
      .userSpeaks(0.5, 1.5, 'I want a table.')
      .at(1, (call) => call.handle.post({ type: 'call.say', text: SAY_TEXT, interrupt: true }))
      .runUntil(10);
    expect(call.heard.map(({ text }) => text)).toEqual(['Yes.', SAY_TEXT]);
  });

  it('interrupts the agent even if users may not', () => {
    const call = new Simulation({ agent: { initial_message: SENTENCE, interruptions: false } })
      .at(0.5, (call) => call.handle.post({ type: 'call.say', text: SAY_TEXT, interrupt: true }))
      .runUntil(10);
    expect(call.heard[0]?.toMs).toBe(500);
    expect(call.heard[1]?.text).toBe(SAY_TEXT);
  });
});

describe('a DTMF entry', () => {
  const pressDigits = (call: Simulation, at: number, digits: string) =>
    [...digits].reduce(
      (call, digit, index) =>
        call.at(at + index * 0.2, () => call.media.emit({ type: 'dtmf', digit, durationMs: 100 })),
      call,
    );
  const agent = { initial_message: SENTENCE, dtmf: { pause: 1, max_digits: 4 } };

  it.each([
    // Digits come every 0.2 s from 0.4 s on. The last column is the end of the entry.
    ['the terminator', '12#', 800],
    ['a pause', '12', 600 + 1_000],
    ['the maximum number of digits', '1234', 1_000],
  ])('ended by %s interrupts the agent at once', (_, digits, entryEndMs) => {
    const call = pressDigits(new Simulation({ agent }), 0.4, digits).runUntil(10);
    expect(call.heard.map(({ toMs }) => toMs)[0]).toBe(entryEndMs);
    expect(call.heard.at(-1)).toMatchObject({ text: 'Yes.', fromMs: entryEndMs + ANSWER_MS });
    expect(call.modelRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual([
      `[pressed the keys ${digits.replace('#', '')}]`,
    ]);
  });

  it.each(['12#', '12', '1234'])('%s waits for the end of an uninterruptible agent', (digits) => {
    const call = pressDigits(new Simulation({ agent: { ...agent, interruptions: false } }), 0.4, digits).runUntil(10);
    const sentenceEndMs = VOICE_MS + durationOf(SENTENCE);
    expect(call.heard.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([
      [VOICE_MS, sentenceEndMs],
      [sentenceEndMs + ANSWER_MS, sentenceEndMs + ANSWER_MS + durationOf('Yes.')],
    ]);
    expect(call.modelRequests).toHaveLength(1);
  });

  it('is no turn if it is only a terminator', () => {
    const call = pressDigits(new Simulation({ agent: {} }), 1, '#').runUntil(10);
    expect(call.modelRequests).toEqual([]);
  });

  it('is not answered before the pause after its last digit is over', () => {
    const call = new Simulation({ agent: { dtmf: { pause: 3 } } });
    for (const at of [1, 3.9, 6.8]) pressDigits(call, at, '5');
    call.runUntil(9.7);
    expect(call.modelRequests).toEqual([]);
    call.runUntil(9.81);
    expect(call.modelRequests[0]?.messages.at(-1)?.content).toBe('[pressed the keys 555]');
  });
});

it('sounds without words do not delay the presence check', () => {
  const call = new Simulation({ agent: { presence_check_phrases: ['Are you there?'] } }).userSpeaks(0.5, 1.5, 'Hello.');
  for (let atS = 4; atS < 40; atS += 3) {
    call.at(atS, () => call.media.emit({ type: 'speech_started', audioMs: atS * 1000 }));
    call.at(atS + 0.4, () => call.media.emit({ type: 'speech_stopped', audioMs: atS * 1000 + 400 }));
  }
  const [check] = call.runUntil(40).heard.filter(({ text }) => text === 'Are you there?');
  // The idle threshold of 10 s ends during a sound, and the check first waits for words of that sound: at most 2 s.
  expect(check?.fromMs).toBeLessThanOrEqual(1_500 + RESPONSE_MS + durationOf('Yes.') + 10_000 + 2_000);
});

describe('the idle time of the presence check is not counted', () => {
  const TRANSFER = { type: 'transfer_call' as const, name: 'desk', destination: '+4930111111' };
  const agent = {
    presence_check_phrases: ['Are you there?'],
    presence_check_idle_threshold: 3,
    states: [{ name: 'start', tools: [LOOKUP, TRANSFER, { type: 'wait' as const, name: 'wait', duration: 8 }] }],
  };
  /** From the start of the user's silence to the presence check that is heard. */
  const CHECK_MS = agent.presence_check_idle_threshold * 1000 + VOICE_MS;
  /** When the first presence check is heard. */
  const firstCheckMs = (call: Simulation) =>
    call.runUntil(40).heard.find(({ text }) => text === 'Are you there?')?.fromMs;

  it('while the user speaks', () => {
    const call = new Simulation({ agent })
      .at(2, (call) => call.media.emit({ type: 'speech_started', audioMs: 2_000 }))
      .at(2.1, (call) => call.emitTranscriberEvent({ type: 'interim', text: 'Well', startMs: 2_000, endMs: 2_100 }))
      .interimAt(5, 2, 'Well I do not')
      .at(6, (call) => call.media.emit({ type: 'speech_stopped', audioMs: 6_000 }))
      .at(6.2, (call) => call.emitFinal(2, 6, 'Well, I do not know.'));
    expect(firstCheckMs(call)).toBe(6_000 + RESPONSE_MS + durationOf('Yes.') + CHECK_MS);
  });

  it('while the agent speaks', () => {
    const call = new Simulation({ agent: { ...agent, initial_message: 'x'.repeat(100) } });
    expect(firstCheckMs(call)).toBe(VOICE_MS + 100 * CHARACTER_MS + CHECK_MS);
  });

  it('while a tool runs', () => {
    const call = new Simulation({
      agent,
      model: [{ toolCalls: [{ name: 'lookup' }] }, { text: 'Done.' }],
      tools: { lookup: { after: 15, result: {} } },
    }).userSpeaks(0.5, 1, 'Go.');
    const resultMs = 1_000 + FINAL_MS + MODEL_MS + 15_000;
    expect(firstCheckMs(call)).toBe(resultMs + ANSWER_MS + durationOf('Done.') + CHECK_MS);
  });

  it('while the call is on hold', () => {
    const call = new Simulation({ agent })
      .at(1, (call) => call.emitControlEvent({ type: 'on_hold' }))
      .at(20, (call) => call.emitControlEvent({ type: 'off_hold' }));
    expect(firstCheckMs(call)).toBe(20_000 + CHECK_MS);
  });

  it('while the user is being transferred', () => {
    const call = new Simulation({
      agent,
      model: [{ toolCalls: [{ name: 'desk' }] }, { text: 'Busy.' }],
      transfer: { after: 15, succeeds: false },
    }).userSpeaks(0.5, 1, 'The desk please.');
    const failureMs = 1_000 + FINAL_MS + MODEL_MS + 15_000;
    expect(firstCheckMs(call)).toBe(failureMs + ANSWER_MS + durationOf('Busy.') + CHECK_MS);
  });

  it('while the user enters DTMF digits', () => {
    const call = new Simulation({ agent: { ...agent, dtmf: { pause: 10 } } }).at(2, (call) =>
      call.media.emit({ type: 'dtmf', digit: '1', durationMs: 100 }),
    );
    const entryEndMs = 2_000 + 10_000;
    expect(firstCheckMs(call)).toBe(entryEndMs + ANSWER_MS + durationOf('Yes.') + CHECK_MS);
  });

  it('during the wait tool', () => {
    const call = new Simulation({ agent, model: [{ toolCalls: [{ name: 'wait' }] }] }).userSpeaks(0.5, 1, 'A moment.');
    expect(firstCheckMs(call)).toBe(1_000 + FINAL_MS + MODEL_MS + 8_000 + VOICE_MS);
  });

  it('during the initial message, so a check never begins over the agent’s own speech', () => {
    const call = new Simulation({
      agent: { ...agent, initial_message: 'x'.repeat(100), initial_message_delay: 2 },
    }).runUntil(40);
    const [initialMessage, check] = call.heard;
    expect(initialMessage?.text).toHaveLength(100);
    expect((check?.fromMs ?? 0) - (initialMessage?.toMs ?? 0)).toBe(CHECK_MS);
  });
});

describe('the agent listens again', () => {
  it('after a playout that sends nothing', () => {
    const call = new Simulation({ agent: { initial_message: SENTENCE } })
      // 0.3 s of the initial message were played, of 1.4 s.
      .at(0.5, (call) => call.media.pause())
      .userSpeaks(9, 10, 'Hello, are you there?')
      .at(8, (call) => {
        expect(call.handle.view().agentState).toBe('listening');
        call.media.resume();
      })
      .runUntil(15);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.heard.at(-1)?.text).toBe('Yes.');
    expect(call.notices).toContainEqual({ type: 'playout_stalled', next: 'listen' });
  });

  it('after a tool that never answers', () => {
    const call = new Simulation({
      agent: { states: [{ name: 'start', tools: [{ ...LOOKUP, timeout: 2 }] }] },
      model: [{ toolCalls: [{ name: 'lookup' }] }, { text: 'Sorry.' }],
      tools: { lookup: { after: 500, result: {} } },
    })
      .userSpeaks(0.5, 1, 'Go.')
      .runUntil(10);
    const runnerMarginMs = 2_000;
    const timeoutMs = 1_000 + FINAL_MS + MODEL_MS + 2_000 + runnerMarginMs;
    const fromMs = timeoutMs + ANSWER_MS;
    expect(call.heard.at(-1)).toEqual({ text: 'Sorry.', fromMs, toMs: fromMs + durationOf('Sorry.') });
    expect(call.handle.view().agentState).toBe('listening');
  });

  it('after a transfer without an outcome', () => {
    const call = new Simulation({
      agent: {
        states: [
          {
            name: 'start',
            tools: [{ type: 'transfer_call', name: 'desk', destination: '+4930111111', ring_timeout: 5 }],
          },
        ],
      },
      model: [{ toolCalls: [{ name: 'desk' }] }, { text: 'Nobody answers.' }],
    })
      .userSpeaks(0.5, 1, 'The desk please.')
      .runUntil(60);
    expect(call.heard.map(({ text }) => text)).toEqual(['Nobody answers.']);
    expect(call.handle.view().agentState).toBe('listening');
  });

  it('after a model that stalls, with a filler and a second request', () => {
    const call = new Simulation({ agent: {}, model: [{ stalls: true }, { text: 'Here.' }] })
      .userSpeaks(0.5, 1, 'Hello?')
      .runUntil(20);
    const committedMs = 1_000 + FINAL_MS;
    const secondRequestMs = call.commandTimesMs('model.request')[1] ?? 0;
    expect(secondRequestMs).toBeGreaterThan(committedMs + MODEL_MS_MAX.alone);
    expect(call.heard).toMatchObject([
      { text: 'One moment, please.', fromMs: 1_000 + SILENCE_MS + VOICE_MS },
      { text: 'Here.', fromMs: secondRequestMs + ANSWER_MS, toMs: secondRequestMs + ANSWER_MS + durationOf('Here.') },
    ]);
    expect(call.handle.view().agentState).toBe('listening');
  });

  it('after words that never become final, and activity that never ends', () => {
    const call = new Simulation({ agent: {} })
      .at(1, (call) => call.media.emit({ type: 'speech_started', audioMs: 1_000 }))
      .interimAt(1.8, 1, 'I want a table')
      .runUntil(20);
    expect(call.modelRequests.map(({ messages }) => messages.at(-1)?.content)).toEqual(['I want a table']);
    expect(call.heard[0]?.fromMs).toBe(1_800 + UNSTABLE_WORDS_MS_MAX + ANSWER_MS);
    expect(call.handle.view().agentState).toBe('listening');
  });
});

describe('DTMF digits and words of the user', () => {
  const pressDigitsAtOnce = (call: Simulation, at: number, digits: string) =>
    [...digits].reduce(
      (call, digit) => call.at(at, () => call.media.emit({ type: 'dtmf', digit, durationMs: 100 })),
      call,
    );
  const lastMessages = (call: Simulation) => call.modelRequests.map(({ messages }) => messages.at(-1)?.content);

  it('form one turn in the order of their arrival, and are answered once', () => {
    const call = new Simulation({ agent: {}, model: [{ after: 2, text: 'Thank you.' }] });
    pressDigitsAtOnce(call.userSpeaks(0.5, 1.5, 'My number is'), 2, '407#').runUntil(20);
    expect(lastMessages(call)).toEqual(['My number is [pressed the keys 407]']);
    expect(call.heard.map(({ text }) => text)).toEqual(['Thank you.']);
  });

  it('form a turn without the agent’s echo', () => {
    const call = new Simulation({ agent: { initial_message: 'Press a key on your phone, please.' } });
    pressDigitsAtOnce(call.interimAt(1.1, 0.6, 'a key on your'), 1.5, '4#').runUntil(20);
    expect(lastMessages(call)).toEqual(['[pressed the keys 4]']);
  });

  it.each([
    ['during the pause of the entry', { initial_message: 'From one to five?' }, '5'],
    ['during an uninterruptible message', { initial_message_interruptible: false }, '5#'],
  ])('are kept for variable extraction if the user hangs up %s', (_, agentChanges, digits) => {
    const agent = {
      initial_message: 'One two three four five six seven eight nine ten.',
      variables: [{ name: 'mark' }],
    };
    const call = new Simulation({ agent: { ...agent, ...agentChanges }, extractions: [{ mark: '5' }] })
      .userSpeaks(1.5, 1.9, 'Well')
      .hangUpAt(2.2);
    pressDigitsAtOnce(call, 2, digits).runUntil(20);
    expect(call.transcript.filter(({ role }) => role === 'dtmf').map(({ content }) => content)).toEqual(['5']);
    expect(call.journalEntries('variable').at(-1)).toMatchObject({ name: 'mark', value: '5' });
    expect(call.extractionRequests).toHaveLength(1);
  });
});
