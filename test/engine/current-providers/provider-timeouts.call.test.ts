import { describe, expect, it } from 'vitest';
import { rejectionReasons } from '../properties/strict-provider.ts';
import { FINAL_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const FALLBACKS = { fallbacks: { llm: [{ provider: 'test', model: 'second' }] } };
const STALLS = { stalls: true };
const FILLER = 'One moment, please.';

const USER_SPEECH_END_MS = 1_000;
const REQUEST_MS = USER_SPEECH_END_MS + FINAL_MS;
const FILLER_DELAY_MS = 3_000;
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
const heardStarts = (call: Simulation) => call.heard.map(({ text, fromMs }) => [text, fromMs]);

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

describe('thinking filler', () => {
  it('comes three seconds after the user’s last sound, and the response follows', () => {
    const call = callWithResponses({}, [{ firstTokenAfter: 8, after: 8, text: 'It is ten.' }]).runUntil(30);
    expect(heardStarts(call)).toEqual([
      [FILLER, USER_SPEECH_END_MS + FILLER_DELAY_MS + VOICE_MS],
      ['It is ten.', REQUEST_MS + 8_000 + VOICE_MS],
    ]);
    expect(call.dialogue).toEqual(['user: Hello?', `agent: ${FILLER}`, 'agent: It is ten.']);
    expectReplay(call);
  });

  it('leaves the first sentence a second after the first token', () => {
    const answer = (after: number) => callWithResponses({}, [{ firstTokenAfter: 2.7, after, text: 'It is ten.' }]);
    expect(answer(3.6).runUntil(30).heardText).toBe('It is ten.');
    expect(answer(4).runUntil(30).heardText).toBe(`${FILLER} It is ten.`);
  });

  it('has the language of the call', () => {
    expect(callWithResponses({ language: 'de' }, [STALLS]).runUntil(6).heardText).toBe('Einen Moment, bitte.');
  });

  it('is shared by all models of a turn, and no model has to continue a broken response', () => {
    const call = callWithResponses(FALLBACKS, [STALLS, { firstTokenAfter: 3, after: 3, text: 'Here.' }]).runUntil(30);
    expect(call.heardText).toBe(`${FILLER} Here.`);
    const [, secondRequest] = call.modelRequests;
    expect(secondRequest?.messages.at(-2)).toEqual({ role: 'assistant', content: FILLER });
    expect(secondRequest?.messages.at(-1)?.content).toContain('Go on with what you still owe them');
    expect(call.modelRequests.flatMap(rejectionReasons)).toEqual([]);
    call.userSpeaks(31, 32, 'And then?').runUntil(40);
    expect(call.modelRequests[2]?.messages.slice(1, 3)).toEqual([
      { role: 'user', content: 'Hello?' },
      { role: 'assistant', content: `${FILLER} Here.` },
    ]);
  });

  it('comes again in the next turn', () => {
    const slow = { firstTokenAfter: 3.5, after: 3.5, text: 'Yes.' };
    const call = callWithResponses({}, [slow, slow]).userSpeaks(10, 10.5, 'And then?').runUntil(30);
    expect(call.heardTexts).toEqual([FILLER, 'Yes.', FILLER, 'Yes.']);
  });

  it('does not come while the user speaks, and the new words get the response', () => {
    const call = callWithResponses({}, [{ firstTokenAfter: 6, after: 6, text: 'Late.' }, { text: 'Yes.' }])
      .userSpeaks(4, 5, 'And what does it cost?')
      .runUntil(30);
    expect(call.heardTexts).toEqual(['Yes.']);
  });

  it('allows an interruption, and the new words get the response', () => {
    const call = callWithResponses({}, [{ firstTokenAfter: 6, after: 6, text: 'Late.' }, { text: 'Yes.' }])
      .userSpeaks(4.5, 6.5, 'What is going on there?')
      .runUntil(30);
    expect(call.heardText.endsWith('Yes.')).toBe(true);
    expect(call.heardText).not.toContain('Late.');
    expect(call.modelRequests.flatMap(rejectionReasons)).toEqual([]);
  });

  it('does not come while the call is on hold', () => {
    const call = callWithResponses({}, [{ firstTokenAfter: 6, after: 6, text: 'Late.' }])
      .at(2, (simulation) => simulation.emitControlEvent({ type: 'on_hold' }))
      .at(7, (simulation) => simulation.emitControlEvent({ type: 'off_hold' }))
      .runUntil(30);
    expect(call.heardText).toBe('Late.');
  });

  it('counts as the response in the turn metrics, and the model’s latency is reported in full', () => {
    const call = callWithResponses({}, [{ firstTokenAfter: 8, after: 8, text: 'It is ten.' }]).runUntil(30);
    expect(call.turnTimes).toMatchObject([
      { llmFirstTokenMs: 8_000, responseMs: FILLER_DELAY_MS + VOICE_MS, engineMs: null },
    ]);
  });
});
