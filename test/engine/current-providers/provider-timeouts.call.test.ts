import { describe, expect, it } from 'vitest';
import { FINAL_MS } from '../simulation/default-timing.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const FALLBACKS = { fallbacks: { llm: [{ provider: 'test', model: 'second' }] } };
const STALLS = { stalls: true };
const FILLER = 'One moment, please.';

const USER_SPEECH_END_MS = 1_000;
const REQUEST_MS = USER_SPEECH_END_MS + FINAL_MS;
const RETRY_BUDGET_MS = 8_000;

/** The first request to the model is at `REQUEST_MS`. */
function callWithResponses(
  agent: object,
  model: NonNullable<Scenario['model']>,
  overrides: Partial<Scenario> = {},
): Simulation {
  return new Simulation({ agent, model, ...overrides }).userSpeaks(0.5, USER_SPEECH_END_MS / 1000, 'Hello?');
}
/** The 99th percentile of the first token’s latency, as measured for the first model. */
const knownLatency = (firstTokenP99Ms: number): Partial<Scenario> => ({
  parameters: { modelLatencies: [{ provider: 'test', model: 'model', firstTokenP99Ms }] },
});
/** `[model, ms after the first request]` of each request. */
const requestTimes = (call: Simulation) =>
  call.tape.flatMap(({ atUs, commands }) =>
    commands.flatMap((command) =>
      command.type === 'model.request' ? [[command.request.model, atUs / 1000 - REQUEST_MS]] : [],
    ),
  );

describe('timeout of the model', () => {
  it.each([
    ['three times its 99th percentile', 1_200, 3_600],
    ['never less than 2.5 s', 80, 2_500],
    ['never more than 10 s, which a reasoning model may take', 5_000, 10_000],
  ])('lasts %s', (_case, p99Ms, timeoutMs) => {
    const call = callWithResponses(FALLBACKS, [STALLS, { text: 'Here.' }], knownLatency(p99Ms)).runUntil(30);
    expect(requestTimes(call)).toEqual([
      ['model', 0],
      ['second', timeoutMs],
    ]);
    expect(call.cancelledGenerations).toBe(1);
    expect(call.heardText.endsWith('Here.')).toBe(true);
  });

  it('lasts until the end of the retry budget for a retry without a fallback', () => {
    const call = callWithResponses({}, [STALLS, { firstTokenAfter: 7, after: 7, text: 'Here.' }], knownLatency(500));
    call.runUntil(40);
    const [, retry] = requestTimes(call);
    expect(retry?.[1]).toBeGreaterThan(2_500);
    expect(retry?.[1]).toBeLessThan(2_500 + RETRY_BUDGET_MS - 7_000);
    expect(call.heardText).toBe(`${FILLER} Here.`);
    expect(call.endReason).toBeNull();
  });

  it('is never less than 2.5 s, even at the end of the retry budget', () => {
    const call = callWithResponses({}, [{ failsWith: { retryable: true, retryAfterMs: RETRY_BUDGET_MS } }, STALLS]);
    call.runUntil(40);
    const [, retry] = requestTimes(call);
    const cancelledMs = call.commandTimesMs('model.cancel')[0] ?? 0;
    expect(cancelledMs - REQUEST_MS - Number(retry?.[1])).toBe(2_500);
  });

  it('has its default if the latency is unknown', () => {
    const otherLatency = {
      parameters: { modelLatencies: [{ provider: 'test', model: 'second', firstTokenP99Ms: 100 }] },
    };
    const call = callWithResponses(FALLBACKS, [STALLS, STALLS], otherLatency).runUntil(30);
    expect(requestTimes(call).slice(0, 2)).toEqual([
      ['model', 0],
      ['second', 4_000],
    ]);
    expect(call.commandTimesMs('model.cancel').map((atMs) => atMs - REQUEST_MS)).toEqual([4_000, 6_500]);
  });

  it('grows after the first token', () => {
    const call = callWithResponses(
      FALLBACKS,
      [{ firstTokenAfter: 1, after: 4.5, text: 'Here it is.' }],
      knownLatency(100),
    ).runUntil(30);
    expect(requestTimes(call)).toEqual([['model', 0]]);
    expect(call.heardText).toBe(`${FILLER} Here it is.`);
  });
});

describe('timeout of the voice', () => {
  it.each([
    ['three times its 99th percentile', [900], 2_700],
    ['never less than 2 s', [100], 2_000],
    ['never more than 4 s', [3_000], 4_000],
    ['3 s if its latency is unknown', [null, 100], 3_000],
  ])('lasts %s', (_case, voiceFirstAudioP99Ms, timeoutMs) => {
    const call = new Simulation({
      agent: { initial_message: 'Hello.', fallbacks: { voice: [{ provider: 'test', name: 'second' }] } },
      voicesByName: { voice: { stalls: true } },
      parameters: { voiceFirstAudioP99Ms },
    }).runUntil(20);
    const [firstMs, secondMs] = call.commandTimesMs('voice.speak');
    expect(Number(secondMs) - Number(firstMs)).toBe(timeoutMs);
    expect(call.heardText).toBe('Hello.');
  });
});
