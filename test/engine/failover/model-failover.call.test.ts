import { describe, expect, it } from 'vitest';
import { rejectionReasons } from '../properties/strict-provider.ts';
import { FINAL_MS, MODEL_MS, VOICE_MS } from '../simulation/default-timing.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const FALLBACKS = { fallbacks: { llm: [{ provider: 'test', model: 'second' }, { model: 'third' }] } };
const RETRYABLE_FAILURE = { failsWith: { retryable: true } };
const FATAL_FAILURE = { failsWith: { retryable: false } };

const USER_SPEECH_END_MS = 1_000;
/** The first request, and the first failure. */
const REQUEST_MS = USER_SPEECH_END_MS + FINAL_MS;
const FAILURE_MS = REQUEST_MS + MODEL_MS;

/** Before jitter. */
const RETRY_DELAYS_MS = [250, 800, 2_000, 4_000] as const;
const RETRY_BUDGET_MS = 8_000;
const FILLER = 'One moment, please.';
const FILLER_DELAY_MS = 3_000;

/** The delay with a jitter of 20 %. */
function expectDelay(actualMs: number, delayMs: number): void {
  expect(actualMs).toBeGreaterThanOrEqual(0.8 * delayMs);
  expect(actualMs).toBeLessThanOrEqual(1.2 * delayMs);
}

/** A call with one user turn and these responses of the model. */
function callWithResponses(
  agent: object,
  model: NonNullable<Scenario['model']>,
  overrides: Partial<Scenario> = {},
): Simulation {
  return new Simulation({ agent, model, ...overrides })
    .userSpeaks(0.5, USER_SPEECH_END_MS / 1000, 'Hello?')
    .runUntil(30);
}
/** `[model, ms]` of each request. */
const modelRequests = (call: Simulation) =>
  call.tape.flatMap(({ atUs, commands }) =>
    commands.flatMap((command) => (command.type === 'model.request' ? [[command.request.model, atUs / 1000]] : [])),
  );

describe('language model failover', () => {
  it('asks the fallbacks at once and in order, and the model that failed first again after a delay', () => {
    const call = callWithResponses(FALLBACKS, [
      RETRYABLE_FAILURE,
      RETRYABLE_FAILURE,
      RETRYABLE_FAILURE,
      RETRYABLE_FAILURE,
      { text: 'Here.' },
    ]);
    const roundMs = FAILURE_MS + 2 * MODEL_MS;
    expect(modelRequests(call).slice(0, 3)).toEqual([
      ['model', REQUEST_MS],
      ['second', FAILURE_MS],
      ['third', FAILURE_MS + MODEL_MS],
    ]);
    const [again, afterIt] = modelRequests(call).slice(3);
    expect(again?.[0]).toBe('model');
    expectDelay(Number(again?.[1]) - roundMs, RETRY_DELAYS_MS[0]);
    expect(afterIt).toEqual(['second', Number(again?.[1]) + MODEL_MS]);
    expect(call.heardText).toBe('Here.');
    expect(call.endReason).toBeNull();
  });

  it('asks a model without a fallback again after growing delays, and answers in the same turn', () => {
    const failures = RETRY_DELAYS_MS.map(() => RETRYABLE_FAILURE);
    const call = callWithResponses({}, [...failures, { text: 'Here.' }]);
    const times = modelRequests(call).map(([, atMs]) => Number(atMs));
    expect(times).toHaveLength(1 + RETRY_DELAYS_MS.length);
    // The last delay ends with the retry budget, counted from the first failure.
    for (const [retry, delayMs] of RETRY_DELAYS_MS.slice(0, 3).entries())
      expectDelay((times[retry + 1] ?? 0) - (times[retry] ?? 0) - MODEL_MS, delayMs);
    expect(times[4]).toBeGreaterThan(FAILURE_MS + 6_000);
    expect(times[4]).toBeLessThanOrEqual(FAILURE_MS + RETRY_BUDGET_MS);
    expect(call.heardText).toBe(`${FILLER} Here.`);
    expect(call.heard[0]?.fromMs).toBe(USER_SPEECH_END_MS + FILLER_DELAY_MS + VOICE_MS);
    expect(call.noticesOf('turn_failed')).toEqual([]);
    expect(call.endReason).toBeNull();
  });

  it('delays the retries of other calls differently, and those of a replay equally', () => {
    const retryMs = (callId: string) =>
      modelRequests(callWithResponses({}, [RETRYABLE_FAILURE], { parameters: { callId } }))[1]?.[1];
    expect(retryMs('one')).toBe(retryMs('one'));
    expect(retryMs('one')).not.toBe(retryMs('another'));
  });

  it.each([
    ['does not wait for a model if there is a fallback', FALLBACKS, 800, ['second', FAILURE_MS]],
    ['waits as long as the model asks without a fallback', {}, 800, ['model', FAILURE_MS + 800]],
    ['waits until the end of the retry budget at most', {}, 60_000, ['model', FAILURE_MS + RETRY_BUDGET_MS]],
  ])('%s', (_case, agent, retryAfterMs, secondRequest) => {
    const call = callWithResponses(agent, [{ failsWith: { retryable: true, retryAfterMs } }, { text: 'Here.' }]);
    expect(modelRequests(call)).toEqual([['model', REQUEST_MS], secondRequest]);
    expect(call.heardTexts.at(-1)).toBe('Here.');
  });

  it.each(['unavailable', 'rate_limited', 'timeout', 'closed'] as const)(
    'leaves a model that fails as %s at once if there is a fallback',
    (code) => {
      const call = callWithResponses(FALLBACKS, [{ failsWith: { retryable: true, code } }]);
      expect(modelRequests(call)).toEqual([
        ['model', REQUEST_MS],
        ['second', FAILURE_MS],
      ]);
    },
  );

  it('asks a model that rejected the request no more in that turn, and again in the next one', () => {
    const rejected = { failsWith: { retryable: false, code: 'unauthorized' as const } };
    const alone = callWithResponses({}, [rejected, { text: 'Here.' }]);
    expect(modelRequests(alone)).toHaveLength(1);
    alone.userSpeaks(31, 32, 'And now?').runUntil(40);
    expect(alone.heardTexts.at(-1)).toBe('Here.');
    const second = { fallbacks: { llm: [{ provider: 'test', model: 'second' }] } };
    const call = callWithResponses(second, [rejected, RETRYABLE_FAILURE, RETRYABLE_FAILURE, { text: 'Here.' }]);
    expect(modelRequests(call).map(([model]) => model)).toEqual(['model', 'second', 'second', 'second']);
  });

  it('leaves a stalled model after four seconds, or retries it after ten without a fallback', () => {
    const call = callWithResponses(FALLBACKS, [{ stalls: true }, { text: 'Here.' }]);
    expect(modelRequests(call)).toEqual([
      ['model', REQUEST_MS],
      ['second', REQUEST_MS + 4_000],
    ]);
    expect(call.cancelledGenerations).toBe(1);
    const withoutFallback = callWithResponses({}, [{ stalls: true }, { text: 'Here.' }]);
    const [, retry] = modelRequests(withoutFallback);
    expectDelay(Number(retry?.[1]) - REQUEST_MS - 10_000, RETRY_DELAYS_MS[0]);
    expect(withoutFallback.heardTexts).toEqual([FILLER, 'Here.']);
  });

  it('continues a broken response with the next model, which repeats nothing', () => {
    const call = callWithResponses(FALLBACKS, [
      { text: 'We have a table at seven. And ano', ...FATAL_FAILURE },
      { text: 'Another one is free at nine.' },
    ]);
    expect(call.heardText).toBe('We have a table at seven. Another one is free at nine.');
    expect(call.dialogue[1]).toBe('agent: We have a table at seven. Another one is free at nine.');
    const [, second] = call.modelRequests;
    expect(second?.messages.slice(-2)).toMatchObject([
      { role: 'assistant', content: 'We have a table at seven.' },
      { role: 'user', content: expect.stringContaining('Go on from exactly where it stopped') },
    ]);
    expect(call.modelRequests.flatMap(rejectionReasons)).toEqual([]);
    // The next turn’s request has no note about the failure.
    call.userSpeaks(31, 32, 'At nine.').runUntil(40);
    expect(JSON.stringify(call.modelRequests[2]?.messages)).not.toContain('Go on from');
  });

  it('continues a response that stalls with the next model', () => {
    const call = callWithResponses(FALLBACKS, [
      { text: 'We have a table at seven. And', stalls: true },
      { text: 'That is all.' },
    ]);
    expect(call.heardText).toBe('We have a table at seven. That is all.');
    expect(modelRequests(call)[1]).toEqual(['second', REQUEST_MS + MODEL_MS + 4_000]);
  });

  it('drops the tool calls of a failed response', () => {
    const call = callWithResponses(
      { ...FALLBACKS, states: [{ name: 'start', tools: [{ type: 'hang_up', name: 'bye' }] }] },
      [{ toolCalls: [{ name: 'bye' }], ...FATAL_FAILURE }, { text: 'Here.' }],
    );
    expect(call.journalEntries('tool_called')).toEqual([]);
    expect(call.endReason).toBeNull();
  });

  it('skips the failed model for a minute, then uses it again', () => {
    const call = callWithResponses(FALLBACKS, [FATAL_FAILURE]);
    call.userSpeaks(40, 41, 'And now?').userSpeaks(70, 71, 'And now?').runUntil(80);
    expect(modelRequests(call).map(([model]) => model)).toEqual(['model', 'second', 'second', 'model']);
  });

  it('replaces the model of a state by the agent’s fallbacks', () => {
    const states = [{ name: 'start', llm: { model: 'state-model' } }];
    const call = callWithResponses({ ...FALLBACKS, states }, [FATAL_FAILURE]);
    expect(modelRequests(call).map(([model]) => model)).toEqual(['state-model', 'second']);
  });

  it('replaces the model of an extraction, while the conversation keeps its own', () => {
    const call = new Simulation({
      agent: { ...FALLBACKS, variables: [{ name: 'name' }] },
      extractions: [{ name: 'Ada' }],
      failedExtractions: 1,
    })
      .userSpeaks(0.5, 1, 'I am Ada.')
      .userSpeaks(5, 6, 'Fine.')
      .runUntil(10);
    expect(call.extractionRequests.map(({ model }) => model).slice(0, 2)).toEqual(['model', 'second']);
    expect(modelRequests(call).map(([model]) => model)).toEqual(['model', 'model']);
  });
});
