import { describe, expect, it } from 'vitest';
import type { TranscriberEvent } from '../../../engine/ports/transcriber.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import type { ModelResponse, Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const NATIVE = { transcriberTraits: { detectsTurns: true, finalP99Ms: 400 } };
const LOOKUP = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' };

/** No mark at the end: the turn ends 500 ms after 1.5 s. */
function asks(model: readonly ModelResponse[], agent: Scenario['agent'] = {}, finalAfter = 0.2): Simulation {
  return new Simulation({ agent, model }).userSpeaks(0.5, 1.5, 'I want a table', { finalAfter });
}

function metricsOf(call: Simulation) {
  return call.hangUpAt(28).runUntil(30).journalEntries('ended')[0]?.metrics;
}

function turn(phase: Extract<TranscriberEvent, { readonly type: 'turn' }>['phase'], text: string, endMs = 1_500) {
  return { type: 'turn', phase, text, startMs: 500, endMs } as const;
}

describe('an eager generation that hits', () => {
  it.each([
    // What the model takes, what that leaves of its time after the turn was committed, and what is saved of it.
    { after: 0.1, firstTokenMs: 0, savedMs: 100 },
    { after: 0.3, firstTokenMs: 0, savedMs: 300 },
    { after: 0.5, firstTokenMs: 200, savedMs: 300 },
  ])('saves up to the pause that was left: %o', ({ after, firstTokenMs, savedMs }) => {
    const model = [{ after, text: 'For how many?' }];
    // A final so late leaves too little of the pause: nothing is asked ahead.
    const asked = asks(model, {}, 0.31).runUntil(10);
    const eager = asks(model).runUntil(10);
    const [late] = asked.journalEntries('turn_metrics');
    const [early] = eager.journalEntries('turn_metrics');
    expect((late?.metrics.responseMs ?? 0) - (early?.metrics.responseMs ?? 0)).toBe(savedMs);
    expect(early?.metrics).toMatchObject({ endpointingMs: 500, llmFirstTokenMs: firstTokenMs, voiceFirstAudioMs: 200 });
    expect(early?.metrics.engineMs).toBe(0);
    expect(eager.modelRequests).toEqual(asked.modelRequests);
    expect(eager.heard.map(({ text }) => text)).toEqual(['For how many?']);
    expect(eager.dialogue).toEqual(asked.dialogue);
    expect(metricsOf(eager)).toMatchObject({ eagerHits: 1, eagerMisses: 0, inputTokens: 10, outputTokens: 5 });
    expect(metricsOf(asked)).toMatchObject({ eagerHits: 0, eagerMisses: 0 });
  });

  it('says nothing before the turn was taken, and its later sentences flow on', () => {
    const call = asks([{ after: 0.1, text: 'For how many people? And at what time?' }]);
    call.runUntil(1.99);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.commands.some(({ type }) => type === 'voice.speak')).toBe(false);
    call.runUntil(10);
    expect(call.heard[0]).toMatchObject({ text: 'For how many people?', fromMs: 2_200 });
    expect(call.dialogue).toEqual(['user: I want a table', 'agent: For how many people? And at what time?']);
    expect(call.cancelledGenerations).toBe(0);
  });

  it('is asked on the transcriber’s own word where it detects turns, and marks do not matter', () => {
    const call = new Simulation({ agent: {}, parameters: NATIVE, model: [{ after: 0.2, text: 'For how many?' }] })
      .at(1.2, (one) => one.emitTranscriberEvent(turn('updated', 'I want a', 1_200)))
      .at(1.7, (one) => one.emitTranscriberEvent(turn('eager_end', 'i want a table')))
      .at(2.1, (one) => one.emitTranscriberEvent(turn('ended', 'I want a table.')))
      .runUntil(10);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.heard[0]?.fromMs).toBe(2_300);
    expect(call.dialogue[0]).toBe('user: I want a table.');
    expect(metricsOf(call)).toMatchObject({ eagerHits: 1, eagerMisses: 0 });
  });

  it('is interrupted like any reply: the history has what was heard of it', () => {
    const call = asks([{ after: 0.1, text: 'One two three four five six.' }, { text: 'Sorry.' }])
      .userSpeaks(3, 3.8, 'Stop please.')
      .runUntil(10);
    expect(call.modelRequests[1]?.messages.slice(1)).toEqual([
      { role: 'user', content: 'I want a table' },
      { role: 'assistant', content: 'One two three' },
      { role: 'user', content: 'Stop please.' },
    ]);
  });

  it('that fails after the turn was taken is asked once more', () => {
    const call = asks([{ after: 0.5, failsWith: { retryable: true } }, { text: 'Here.' }]).runUntil(10);
    expect(call.heard.map(({ text }) => text)).toEqual(['Here.']);
    expect(metricsOf(call)).toMatchObject({ eagerHits: 1 });
  });
});

describe('an eager generation that misses', () => {
  it('where the user goes on says nothing, bills its tokens and leaves nothing', () => {
    const call = asks([
      { after: 0.05, text: 'Never said.' },
      { after: 0.1, text: 'Gladly.' },
    ])
      .interimAt(1.9, 1.85, 'for')
      .userSpeaks(1.85, 2.6, 'for four people.')
      .runUntil(10);
    expect(call.modelRequests.map(({ messages }) => messages.slice(1))).toEqual([
      [{ role: 'user', content: 'I want a table' }],
      [{ role: 'user', content: 'I want a table for four people.' }],
    ]);
    expect(call.heard.map(({ text }) => text)).toEqual(['Gladly.']);
    expect(call.dialogue).toEqual(['user: I want a table for four people.', 'agent: Gladly.']);
    expect(JSON.stringify(call.journal)).not.toContain('Never said');
    expect(metricsOf(call)).toMatchObject({ eagerHits: 0, eagerMisses: 1, inputTokens: 20, outputTokens: 10 });
  });

  it('is cancelled at once where it still runs', () => {
    const call = asks([{ after: 9, text: 'Never said.' }, { text: 'Gladly.' }])
      .interimAt(1.9, 1.85, 'for')
      .userSpeaks(1.85, 2.6, 'for four people.');
    call.runUntil(1.95);
    expect(call.cancelledGenerations).toBe(1);
    call.runUntil(10);
    expect(call.heard.map(({ text }) => text)).toEqual(['Gladly.']);
  });

  it.each([
    { toolCalls: [{ name: 'lookup' }] },
    { text: 'One moment.', toolCalls: [{ name: 'lookup' }] },
    { toolCalls: [{ name: 'go_to_next' }] },
  ])('where the answer is no text runs nothing, and the turn asks again: %o', (answer) => {
    const states = [
      { name: 'start', tools: [LOOKUP], transitions: [{ condition: 'go', destination_state_name: 'next' }] },
      { name: 'next' },
    ];
    const call = asks(
      [
        { after: 0.1, ...answer },
        { after: 0.1, text: 'Here.' },
      ],
      { states },
    );
    call.runUntil(1.99);
    expect(call.modelRequests).toHaveLength(1);
    call.runUntil(10);
    expect(call.modelRequests).toHaveLength(2);
    expect(call.modelRequests[1]).toEqual(call.modelRequests[0]);
    expect(call.toolRuns).toEqual([]);
    expect(call.handle.view().state).toBe('start');
    expect(call.heard).toEqual([{ text: 'Here.', fromMs: 2_300, toMs: 2_550 }]);
    expect(metricsOf(call)).toMatchObject({ eagerHits: 0, eagerMisses: 1 });
  });

  it('where the model has failed or said nothing is asked again', () => {
    for (const answer of [{ failsWith: { retryable: false } }, { text: '' }]) {
      const call = asks([{ after: 0.1, ...answer }, { text: 'Here.' }]).runUntil(10);
      expect(call.heard.map(({ text }) => text)).toEqual(['Here.']);
      expect(call.endReason).toBeNull();
    }
  });

  it('where the model is to be told something new meanwhile', () => {
    const call = asks([{ after: 0.1, text: 'Old.' }, { text: 'New.' }])
      .at(1.9, (one) => one.handle.post({ type: 'call.context', content: 'The shop is closed.' }))
      .runUntil(10);
    expect(call.heard.map(({ text }) => text)).toEqual(['New.']);
    expect(metricsOf(call)).toMatchObject({ eagerHits: 0, eagerMisses: 1 });
  });

  it('where the transcriber takes its word back', () => {
    const call = new Simulation({
      agent: {},
      parameters: NATIVE,
      model: [{ after: 0.1, text: 'Old.' }, { text: 'New.' }],
    })
      .at(1.7, (one) => one.emitTranscriberEvent(turn('eager_end', 'I want a table')))
      .at(1.9, (one) => one.emitTranscriberEvent(turn('resumed', 'I want a table')))
      .at(2.5, (one) => one.emitTranscriberEvent(turn('ended', 'I want a table for four.', 2_300)))
      .runUntil(10);
    expect(call.heard.map(({ text }) => text)).toEqual(['New.']);
    expect(call.modelRequests).toHaveLength(2);
  });

  it('three times in a row is not tried again in that call; a hit begins the count again', () => {
    const misses = (call: Simulation, from: number) =>
      call
        .userSpeaks(from, from + 0.5, 'I want a table')
        .interimAt(from + 0.9, from + 0.85, 'for')
        .userSpeaks(from + 0.85, from + 1.5, 'for four people.');
    const hits = (call: Simulation, from: number) => call.userSpeaks(from, from + 0.5, 'That is all');
    const off = [1, 5, 9].reduce(misses, new Simulation({ agent: {} }));
    expect(metricsOf(hits(off, 13).runUntil(18))).toMatchObject({ eagerHits: 0, eagerMisses: 3 });
    const on = hits([1, 5].reduce(misses, new Simulation({ agent: {} })), 9);
    expect(metricsOf(hits(misses(on, 13), 17).runUntil(24))).toMatchObject({ eagerHits: 2, eagerMisses: 3 });
  });

  it('leaves a call that ends meanwhile nothing to say', () => {
    const call = asks([{ after: 9, text: 'Never said.' }])
      .hangUpAt(1.8)
      .runUntil(20);
    expect(call.cancelledGenerations).toBe(1);
    expect(call.dialogue).toEqual(['user: I want a table']);
    expect(call.clock.pending).toBe(0);
    expect(call.journalEntries('ended')[0]?.metrics).toMatchObject({ eagerHits: 0, eagerMisses: 1 });
  });
});

describe('nothing is asked ahead', () => {
  it.each([
    ['after an unfinished sentence', 'I want a table and', {}],
    ['while something is dictated', 'five five three', {}],
    ['where entities are detected', 'I want a table', { features: { entity_detection: true } }],
    ['where too little of the pause is left', 'I want a table.', {}],
  ])('%s', (_, text, state) => {
    const call = new Simulation({ agent: { states: [{ name: 'start', ...state }] } })
      .userSpeaks(0.5, 1.5, text)
      .runUntil(10);
    expect(call.modelRequests).toHaveLength(1);
    expect(metricsOf(call)).toMatchObject({ eagerHits: 0, eagerMisses: 0 });
  });

  it('where the greeting is still to be said, or keys are being pressed', () => {
    const greeting = asks([], { initial_message: 'Hello.', initial_message_delay: 5 }).runUntil(4);
    expect(greeting.modelRequests).toEqual([]);
    const keys = asks([]).at(1.6, (one) => one.media.emit({ type: 'dtmf', digit: '1', durationMs: 100 }));
    expect(keys.runUntil(1.99).modelRequests).toEqual([]);
  });
});

it('a call with hits and misses replays exactly', () => {
  const call = asks([{ after: 0.05, text: 'Old.' }, { text: 'Gladly.' }])
    .interimAt(1.9, 1.85, 'for')
    .userSpeaks(1.85, 2.6, 'for four people.')
    .userSpeaks(5, 6, 'That is all')
    .hangUpAt(10)
    .runUntil(11);
  expect(call.journalEntries('ended')[0]?.metrics).toMatchObject({ eagerHits: 1, eagerMisses: 1 });
  expectReplay(call);
});
