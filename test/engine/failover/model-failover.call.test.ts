import { describe, expect, it } from 'vitest';
import { rejectionReasons } from '../properties/strict-provider.ts';
import { FINAL_MS, MODEL_MS } from '../simulation/default-timing.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const FALLBACKS = { fallbacks: { llm: [{ provider: 'test', model: 'second' }, { model: 'third' }] } };
const RETRYABLE_FAILURE = { failsWith: { retryable: true } };
const FATAL_FAILURE = { failsWith: { retryable: false } };

const USER_SPEECH_END_MS = 1_000;
/** The first request, and the first failure. */
const REQUEST_MS = USER_SPEECH_END_MS + FINAL_MS;
const FAILURE_MS = REQUEST_MS + MODEL_MS;

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
  it('retries once at once, then uses the fallbacks in order', () => {
    const call = callWithResponses(FALLBACKS, [RETRYABLE_FAILURE, RETRYABLE_FAILURE, FATAL_FAILURE, { text: 'Here.' }]);
    expect(modelRequests(call)).toEqual([
      ['model', REQUEST_MS],
      ['model', FAILURE_MS],
      ['second', FAILURE_MS + MODEL_MS],
      ['third', FAILURE_MS + 2 * MODEL_MS],
    ]);
    expect(call.heardText).toBe('Here.');
    expect(call.endReason).toBeNull();
  });

  it.each([
    ['does not wait for a model if there is a fallback', FALLBACKS, 800, ['second', FAILURE_MS]],
    ['waits as long as the model asks without a fallback', {}, 800, ['model', FAILURE_MS + 800]],
    ['waits one second at most without a fallback', {}, 7_000, ['model', FAILURE_MS + 1_000]],
  ])('%s', (_case, agent, retryAfterMs, secondRequest) => {
    const call = callWithResponses(agent, [{ failsWith: { retryable: true, retryAfterMs } }, { text: 'Here.' }]);
    expect(modelRequests(call)).toEqual([['model', REQUEST_MS], secondRequest]);
    expect(call.heardText).toBe('Here.');
  });

  it('leaves a model at its rate limit at once, or retries it after a random wait without a fallback', () => {
    const rateLimited = { failsWith: { retryable: true, code: 'rate_limited' as const } };
    expect(modelRequests(callWithResponses(FALLBACKS, [rateLimited]))[1]).toEqual(['second', FAILURE_MS]);
    const [, retry] = modelRequests(callWithResponses({}, [rateLimited]));
    // 500 ms ± 50 %, by the id of the call.
    expect(retry).toEqual(modelRequests(callWithResponses({}, [rateLimited]))[1]);
    expect(Number(retry?.[1]) - FAILURE_MS).toBeGreaterThanOrEqual(250);
    expect(Number(retry?.[1]) - FAILURE_MS).toBeLessThan(750);
    expect(retry).not.toEqual(
      modelRequests(callWithResponses({}, [rateLimited], { parameters: { callId: 'another' } }))[1],
    );
  });

  it('leaves a model whose adapter timed out at once, or retries it at once without a fallback', () => {
    const timedOut = { failsWith: { retryable: true, code: 'timeout' as const } };
    expect(modelRequests(callWithResponses(FALLBACKS, [timedOut]))[1]).toEqual(['second', FAILURE_MS]);
    expect(modelRequests(callWithResponses({}, [timedOut]))[1]).toEqual(['model', FAILURE_MS]);
  });

  it('leaves a stalled model after four seconds, or retries it after ten without a fallback', () => {
    const call = callWithResponses(FALLBACKS, [{ stalls: true }, { text: 'Here.' }]);
    expect(modelRequests(call)).toEqual([
      ['model', REQUEST_MS],
      ['second', REQUEST_MS + 4_000],
    ]);
    expect(call.cancelledGenerations).toBe(1);
    const withoutFallback = callWithResponses({}, [{ stalls: true }, { text: 'Here.' }]);
    expect(modelRequests(withoutFallback)[1]).toEqual(['model', REQUEST_MS + 10_000]);
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
