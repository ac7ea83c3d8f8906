import { describe, expect, it } from 'vitest';
import type { TranscriberEvent } from '../../../engine/ports/transcriber.ts';
import { FINAL_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import type { ModelResponse, Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const PROVIDER_TURNS = { transcriberTraits: { detectsTurns: true, finalP99Ms: 400 } };
const LOOKUP = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com' };

const USER_SPEECH_END_MS = 1_500;
/** A text without punctuation at its end is followed by this pause. */
const PAUSE_MS = 500;
const TURN_END_MS = USER_SPEECH_END_MS + PAUSE_MS;

/** The user's turn ends at `TURN_END_MS`. The eager generation begins at its final. */
function callWithPause(
  model: readonly ModelResponse[],
  agent: Scenario['agent'] = {},
  finalAfter = FINAL_MS / 1000,
): Simulation {
  const call = new Simulation({ agent, model });
  return call.userSpeaks(0.5, USER_SPEECH_END_MS / 1000, 'I want a table', { finalAfter });
}

/** Ends the call. */
function finalMetrics(call: Simulation) {
  return call.hangUpAt(28).runUntil(30).journalEntries('ended')[0]?.metrics;
}

function turnEvent(phase: Extract<TranscriberEvent, { readonly type: 'turn' }>['phase'], text: string, endMs = 1_500) {
  return { type: 'turn', phase, text, startMs: 500, endMs } as const;
}

describe('eager generation in use', () => {
  it.each([
    // The model's latency, its rest after the end of the turn, and the time saved.
    { after: 0.1, firstTokenMs: 0, savedMs: 100 + VOICE_MS },
    { after: 0.3, firstTokenMs: 0, savedMs: PAUSE_MS - FINAL_MS },
    { after: 0.5, firstTokenMs: 200, savedMs: PAUSE_MS - FINAL_MS },
  ])('saves at most the rest of the pause: %o', ({ after, firstTokenMs, savedMs }) => {
    const model = [{ after, text: 'For how many?' }];
    // A final this late leaves too little of the pause for an eager generation.
    const withoutEager = callWithPause(model, {}, 0.46).runUntil(10);
    const withEager = callWithPause(model).runUntil(10);
    const [lateTurn] = withoutEager.turnTimes;
    const [earlyTurn] = withEager.turnTimes;
    expect((lateTurn?.responseMs ?? 0) - (earlyTurn?.responseMs ?? 0)).toBe(savedMs);
    expect(earlyTurn).toMatchObject({
      endpointingMs: PAUSE_MS,
      llmFirstTokenMs: firstTokenMs,
      voiceFirstAudioMs: VOICE_MS,
    });
    expect(earlyTurn?.engineMs).toBe(0);
    expect(withEager.modelRequests).toEqual(withoutEager.modelRequests);
    expect(withEager.heardTexts).toEqual(['For how many?']);
    expect(withEager.dialogue).toEqual(withoutEager.dialogue);
    expect(finalMetrics(withEager)).toMatchObject({ eagerHits: 1, eagerMisses: 0, inputTokens: 10, outputTokens: 5 });
    expect(finalMetrics(withoutEager)).toMatchObject({ eagerHits: 0, eagerMisses: 0 });
  });

  it('asks with 100 ms of the pause left', () => {
    const finalMs = PAUSE_MS - 100;
    const call = callWithPause([{ after: 0.3, text: 'For how many?' }], {}, finalMs / 1000).runUntil(10);
    expect(call.commandTimesMs('model.request')).toEqual([USER_SPEECH_END_MS + finalMs]);
    expect(finalMetrics(call)).toMatchObject({ eagerHits: 1, eagerMisses: 0 });
  });

  it('plays no sentence before the end of the turn, then all of them', () => {
    const call = callWithPause([{ after: 0.1, text: 'For how many people? And at what time?' }]);
    call.runUntil(TURN_END_MS / 1000 - 0.01);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.heard).toEqual([]);
    call.runUntil(10);
    expect(call.heard[0]).toMatchObject({ text: 'For how many people?', fromMs: TURN_END_MS });
    expect(call.dialogue).toEqual(['user: I want a table', 'agent: For how many people? And at what time?']);
    expect(call.cancelledGenerations).toBe(0);
  });

  it('begins with the transcriber’s event if the transcriber detects turns; punctuation does not matter', () => {
    const call = new Simulation({
      agent: {},
      parameters: PROVIDER_TURNS,
      model: [{ after: 0.2, text: 'For how many?' }],
    })
      .at(1.2, (simulation) => simulation.emitTranscriberEvent(turnEvent('updated', 'I want a', 1_200)))
      .at(1.7, (simulation) => simulation.emitTranscriberEvent(turnEvent('eager_end', 'i want a table')))
      .at(2.1, (simulation) => simulation.emitTranscriberEvent(turnEvent('ended', 'I want a table.')))
      .runUntil(10);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.heard[0]?.fromMs).toBe(2_100);
    expect(call.dialogue[0]).toBe('user: I want a table.');
    expect(finalMetrics(call)).toMatchObject({ eagerHits: 1, eagerMisses: 0 });
  });

  it('allows an interruption, and the history has the played part', () => {
    const call = callWithPause([{ after: 0.1, text: 'One two three four five six.' }, { text: 'Sorry.' }])
      .userSpeaks(2.8, 3.6, 'Stop please.')
      .runUntil(10);
    expect(call.modelRequests[1]?.messages.slice(1)).toEqual([
      { role: 'user', content: 'I want a table' },
      { role: 'assistant', content: 'One two three four five' },
      { role: 'user', content: 'Stop please.' },
    ]);
  });

  it('gets a retry when it fails after the turn was committed', () => {
    const call = callWithPause([{ after: 0.5, failsWith: { retryable: true } }, { text: 'Here.' }]).runUntil(10);
    expect(call.heardTexts).toEqual(['Here.']);
    expect(finalMetrics(call)).toMatchObject({ eagerHits: 1 });
  });
});

describe('discarded eager generation', () => {
  it('leaves only its tokens in the metrics when the user continues to speak', () => {
    const call = callWithPause([
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
    expect(call.heardTexts).toEqual(['Gladly.']);
    expect(call.dialogue).toEqual(['user: I want a table for four people.', 'agent: Gladly.']);
    expect(JSON.stringify(call.journal)).not.toContain('Never said');
    expect(finalMetrics(call)).toMatchObject({ eagerHits: 0, eagerMisses: 1, inputTokens: 20, outputTokens: 10 });
  });

  it('stops at once if it still runs', () => {
    const call = callWithPause([{ after: 9, text: 'Never said.' }, { text: 'Gladly.' }])
      .interimAt(1.9, 1.85, 'for')
      .userSpeaks(1.85, 2.6, 'for four people.');
    call.runUntil(1.95);
    expect(call.cancelledGenerations).toBe(1);
    call.runUntil(10);
    expect(call.heardTexts).toEqual(['Gladly.']);
  });

  it.each([
    { toolCalls: [{ name: 'lookup' }] },
    { text: 'One moment.', toolCalls: [{ name: 'lookup' }] },
    { toolCalls: [{ name: 'go_to_next' }] },
  ])('runs no tool of its response before the turn has ended: %o', (response) => {
    const states = [
      { name: 'start', tools: [LOOKUP], transitions: [{ condition: 'go', destination_state_name: 'next' }] },
      { name: 'next' },
    ];
    const call = callWithPause(
      [
        { after: 0.1, ...response },
        { after: 0.1, text: 'Here.' },
      ],
      { states },
    );
    call.runUntil(TURN_END_MS / 1000 - 0.01);
    expect(call.modelRequests).toHaveLength(1);
    expect(call.toolRuns).toEqual([]);
    expect(call.handle.view().state).toBe('start');
    call.runUntil(TURN_END_MS / 1000);
    const isTransition = response.toolCalls[0]?.name === 'go_to_next';
    expect(call.toolRuns).toHaveLength(isTransition ? 0 : 1);
    expect(call.handle.view().state).toBe(isTransition ? 'next' : 'start');
    call.runUntil(10);
    expect(call.modelRequests).toHaveLength(2);
    expect(call.heardTexts.at(-1)).toBe('Here.');
    expect(finalMetrics(call)).toMatchObject({ eagerHits: 1, eagerMisses: 0 });
  });

  it('leads to a new request after a failure or an empty response', () => {
    for (const response of [{ failsWith: { retryable: false } }, { text: '' }]) {
      const call = callWithPause([{ after: 0.1, ...response }, { text: 'Here.' }]).runUntil(10);
      expect(call.heardTexts).toEqual(['Here.']);
      expect(call.endReason).toBeNull();
    }
  });

  it('leads to a new request after a note of the API', () => {
    const call = callWithPause([{ after: 0.1, text: 'Old.' }, { text: 'New.' }])
      .at(1.9, (simulation) => simulation.handle.post({ type: 'call.context', content: 'The shop is closed.' }))
      .runUntil(10);
    expect(call.heardTexts).toEqual(['New.']);
    expect(finalMetrics(call)).toMatchObject({ eagerHits: 0, eagerMisses: 1 });
  });

  it('leads to a new request when the transcriber reports more speech', () => {
    const call = new Simulation({
      agent: {},
      parameters: PROVIDER_TURNS,
      model: [{ after: 0.1, text: 'Old.' }, { text: 'New.' }],
    })
      .at(1.7, (simulation) => simulation.emitTranscriberEvent(turnEvent('eager_end', 'I want a table')))
      .at(1.9, (simulation) => simulation.emitTranscriberEvent(turnEvent('resumed', 'I want a table')))
      .at(2.5, (simulation) => simulation.emitTranscriberEvent(turnEvent('ended', 'I want a table for four.', 2_300)))
      .runUntil(10);
    expect(call.heardTexts).toEqual(['New.']);
    expect(call.modelRequests).toHaveLength(2);
  });

  it('leads to a new request at once when the end of the turn has more words than its eager end', () => {
    const call = new Simulation({
      agent: {},
      parameters: PROVIDER_TURNS,
      model: [{ after: 0.5, text: 'Old.' }, { text: 'New.' }],
    })
      .at(1.7, (simulation) => simulation.emitTranscriberEvent(turnEvent('eager_end', 'I want a table')))
      .at(2.1, (simulation) => simulation.emitTranscriberEvent(turnEvent('ended', 'I want a table for two.')))
      .runUntil(10);
    expect(call.commandTimesMs('model.request')).toEqual([1_700, 2_100]);
    expect(call.heardTexts).toEqual(['New.']);
    expect(call.dialogue[0]).toBe('user: I want a table for two.');
  });

  it('three times in a row is not tried again in that call; a used one resets the count', () => {
    const discardedTurn = (call: Simulation, from: number) =>
      call
        .userSpeaks(from, from + 0.5, 'I want a table')
        .interimAt(from + 0.9, from + 0.85, 'for')
        .userSpeaks(from + 0.85, from + 1.5, 'for four people.');
    const usedTurn = (call: Simulation, from: number) => call.userSpeaks(from, from + 0.5, 'That is all');
    const threeMisses = [1, 5, 9].reduce(discardedTurn, new Simulation({ agent: {} }));
    expect(finalMetrics(usedTurn(threeMisses, 13).runUntil(18))).toMatchObject({ eagerHits: 0, eagerMisses: 3 });
    const hitAfterTwoMisses = usedTurn([1, 5].reduce(discardedTurn, new Simulation({ agent: {} })), 9);
    expect(finalMetrics(usedTurn(discardedTurn(hitAfterTwoMisses, 13), 17).runUntil(24))).toMatchObject({
      eagerHits: 2,
      eagerMisses: 3,
    });
  });

  it('is tried again after failures of the model, which count as misses', () => {
    const failure = { after: 0.1, failsWith: { retryable: true } };
    const model = [failure, { text: 'One.' }, failure, { text: 'Two.' }, failure, { text: 'Three.' }];
    const call = new Simulation({ agent: {}, model });
    for (const fromS of [1, 5, 9, 13]) call.userSpeaks(fromS, fromS + 0.5, 'That is all');
    expect(finalMetrics(call.runUntil(18))).toMatchObject({ eagerHits: 1, eagerMisses: 3 });
  });

  it('stops at the end of the call', () => {
    const call = callWithPause([{ after: 9, text: 'Never said.' }])
      .hangUpAt(1.8)
      .runUntil(20);
    expect(call.cancelledGenerations).toBe(1);
    expect(call.dialogue).toEqual(['user: I want a table']);
    expect(call.clock.pending).toBe(0);
    expect(call.journalEntries('ended')[0]?.metrics).toMatchObject({ eagerHits: 0, eagerMisses: 1 });
  });
});

describe('with finals that are later than 400 ms', () => {
  const SLOW = { transcriberTraits: { detectsTurns: false, finalP99Ms: 900 } };
  const STABLE_MS = 150;
  const FINAL_AFTER_S = 0.9;
  /** The final has the interim's words, and ends the pause. */
  const slowCall = (text: string, parameters: Scenario['parameters'] = SLOW) =>
    new Simulation({ agent: {}, parameters, model: [{ text: 'For how many?' }] })
      .userSpeaks(0.5, 1.5, text, { finalAfter: FINAL_AFTER_S })
      .interimAt(1.6, 0.5, text);

  it('the model is asked with an interim that is complete and stable', () => {
    const call = slowCall('I want a table').runUntil(10);
    expect(call.commandTimesMs('model.request')).toEqual([1_600 + STABLE_MS]);
    expect(call.heard[0]?.fromMs).toBe(1_500 + FINAL_AFTER_S * 1000);
    expect(finalMetrics(call)).toMatchObject({ eagerHits: 1, eagerMisses: 0 });
    expectReplay(call);
  });

  it('each change of the words is waited for', () => {
    const call = slowCall('I want a').interimAt(1.7, 0.5, 'I want a table').interimAt(1.8, 0.5, 'I want a table now');
    expect(call.runUntil(2.2).commandTimesMs('model.request')).toEqual([1_800 + STABLE_MS]);
  });

  it.each([
    ['of open words', 'I want a table for', SLOW],
    ['if finals are fast', 'I want a table', { transcriberTraits: { detectsTurns: false, finalP99Ms: 400 } }],
  ])('no interim %s is asked with', (_case, text, parameters) => {
    expect(slowCall(text, parameters).runUntil(2.05).commandTimesMs('model.request')).toEqual([]);
  });

  it('no interim that lacks the last words is asked with', () => {
    const call = new Simulation({ agent: {}, parameters: SLOW })
      .interimAt(0.9, 0.5, 'I want a table')
      .userSpeaks(0.5, 1.5, 'I want a table for four', { finalAfter: FINAL_AFTER_S });
    expect(call.runUntil(2.3).commandTimesMs('model.request')).toEqual([]);
  });
});

describe('no eager generation', () => {
  it.each([
    ['after an unfinished sentence', 'I want a table and', {}],
    ['during dictation', 'five five three', {}],
    ['of a fragment with entity detection', 'Miller', { features: { entity_detection: true } }],
    ['with too little of the pause left', 'I want a table.', {}],
  ])('%s', (_case, text, state) => {
    const call = new Simulation({ agent: { states: [{ name: 'start', ...state }] } })
      .userSpeaks(0.5, 1.5, text)
      .runUntil(10);
    expect(call.modelRequests).toHaveLength(1);
    expect(finalMetrics(call)).toMatchObject({ eagerHits: 0, eagerMisses: 0 });
  });

  it('before the initial message, or during a DTMF entry', () => {
    const beforeGreeting = callWithPause([{ text: 'For how many?' }], {
      initial_message: 'Hello.',
      initial_message_delay: 5,
    });
    expect(finalMetrics(beforeGreeting)).toMatchObject({ eagerHits: 0, eagerMisses: 0 });
    expect(beforeGreeting.heardTexts).toEqual(['Hello.', 'For how many?']);
    expect(beforeGreeting.modelRequests).toHaveLength(1);
    const duringEntry = callWithPause([]).userPresses(1.6, '1');
    expect(duringEntry.runUntil(TURN_END_MS / 1000 - 0.01).modelRequests).toEqual([]);
  });
});

it('a call with used and discarded eager generations replays exactly', () => {
  const call = callWithPause([{ after: 0.05, text: 'Old.' }, { text: 'Gladly.' }])
    .interimAt(1.9, 1.85, 'for')
    .userSpeaks(1.85, 2.6, 'for four people.')
    .userSpeaks(5, 6, 'That is all')
    .hangUpAt(10)
    .runUntil(11);
  expect(call.journalEntries('ended')[0]?.metrics).toMatchObject({ eagerHits: 1, eagerMisses: 1 });
  expectReplay(call);
});
