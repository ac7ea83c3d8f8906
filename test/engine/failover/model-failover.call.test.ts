import { describe, expect, it } from 'vitest';
import { rejectionReasons } from '../properties/strict-provider.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const FALLBACKS = { fallbacks: { llm: [{ provider: 'test', model: 'second' }, { model: 'third' }] } };
const FAILS = { failsWith: { retryable: true } };
const REFUSES = { failsWith: { retryable: false } };

function asked(agent: object, model: Scenario['model'], more: Partial<Scenario> = {}): Simulation {
  return new Simulation({ agent, ...(model === undefined ? {} : { model }), ...more })
    .userSpeaks(0.5, 1, 'Hello?')
    .runUntil(30);
}
/** Which model was asked, and when. */
const requests = (call: Simulation) =>
  call.tape.flatMap(({ atUs, commands }) =>
    commands.flatMap((one) => (one.type === 'model.request' ? [[one.request.model, atUs / 1000]] : [])),
  );

describe('a language model that fails', () => {
  it('is asked once more at once, then the next of the list, then the one behind it', () => {
    const call = asked(FALLBACKS, [FAILS, FAILS, REFUSES, { text: 'Here.' }]);
    expect(requests(call)).toEqual([
      ['model', 1_200],
      ['model', 1_300],
      ['second', 1_400],
      ['third', 1_500],
    ]);
    expect(call.heardText).toBe('Here.');
    expect(call.endReason).toBeNull();
  });

  it.each([
    ['and asks for a wait is left at once where there is another', FALLBACKS, 800, ['second', 1_300]],
    ['is waited for where there is no other', {}, 800, ['model', 2_100]],
    ['is waited for no longer than a second where there is no other', {}, 7_000, ['model', 2_300]],
  ])('%s', (_, agent, retryAfterMs, second) => {
    const call = asked(agent, [{ failsWith: { retryable: true, retryAfterMs } }, { text: 'Here.' }]);
    expect(requests(call)).toEqual([['model', 1_200], second]);
    expect(call.heardText).toBe('Here.');
  });

  it('that has had too many requests is left at once, and alone it is given a moment', () => {
    const spent = { failsWith: { retryable: true, code: 'rate_limited' as const } };
    expect(requests(asked(FALLBACKS, [spent]))[1]).toEqual(['second', 1_300]);
    const [, second] = requests(asked({}, [spent]));
    // Half a second, from half to one and a half times as long: the same for the same call, and another for another.
    expect(second).toEqual(requests(asked({}, [spent]))[1]);
    expect(Number(second?.[1]) - 1_300).toBeGreaterThanOrEqual(250);
    expect(Number(second?.[1]) - 1_300).toBeLessThan(750);
    expect(second).not.toEqual(requests(asked({}, [spent], { parameters: { callId: 'another' } }))[1]);
  });

  it('that its adapter has waited for in vain is left for the next one', () => {
    const late = { failsWith: { retryable: true, code: 'timeout' as const } };
    expect(requests(asked(FALLBACKS, [late]))[1]).toEqual(['second', 1_300]);
    expect(requests(asked({}, [late]))[1]).toEqual(['model', 1_300]);
  });

  it('and stalls is left after four seconds, or ten where there is no other', () => {
    const call = asked(FALLBACKS, [{ stalls: true }, { text: 'Here.' }]);
    expect(requests(call)).toEqual([
      ['model', 1_200],
      ['second', 5_200],
    ]);
    expect(call.cancelledGenerations).toBe(1);
    const alone = asked({}, [{ stalls: true }, { text: 'Here.' }]);
    expect(requests(alone)[1]).toEqual(['model', 11_200]);
  });

  it('in mid-answer is followed by one that goes on: what was said stands, and is not said again', () => {
    const call = asked(FALLBACKS, [
      { text: 'We have a table at seven. And ano', ...REFUSES },
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
    // The model is told nothing of it afterwards.
    call.userSpeaks(31, 32, 'At nine.').runUntil(40);
    expect(JSON.stringify(call.modelRequests[2]?.messages)).not.toContain('Go on from');
  });

  it('in mid-answer by a stall is followed as well', () => {
    const call = asked(FALLBACKS, [{ text: 'We have a table at seven. And', stalls: true }, { text: 'That is all.' }]);
    expect(call.heardText).toBe('We have a table at seven. That is all.');
    expect(requests(call)[1]).toEqual(['second', 1_300 + 4_000]);
  });

  it('runs nothing that it asked for', () => {
    const call = asked({ ...FALLBACKS, states: [{ name: 'start', tools: [{ type: 'hang_up', name: 'bye' }] }] }, [
      { toolCalls: [{ name: 'bye' }], ...REFUSES },
      { text: 'Here.' },
    ]);
    expect(call.journalEntries('tool_called')).toEqual([]);
    expect(call.endReason).toBeNull();
  });

  it('is left alone for a minute, then it is asked again', () => {
    const call = asked(FALLBACKS, [REFUSES]);
    call.userSpeaks(40, 41, 'And now?').userSpeaks(70, 71, 'And now?').runUntil(80);
    expect(requests(call).map(([model]) => model)).toEqual(['model', 'second', 'second', 'model']);
  });

  it('of a state is followed by the agent’s fallbacks', () => {
    const states = [{ name: 'start', llm: { model: 'own' } }];
    const call = asked({ ...FALLBACKS, states }, [REFUSES]);
    expect(requests(call).map(([model]) => model)).toEqual(['own', 'second']);
  });

  it('at an extraction is followed by the next, and the conversation keeps its own', () => {
    const call = new Simulation({
      agent: { ...FALLBACKS, variables: [{ name: 'name' }] },
      extractions: [{ name: 'Ada' }],
      failedExtractions: 1,
    })
      .userSpeaks(0.5, 1, 'I am Ada.')
      .userSpeaks(5, 6, 'Fine.')
      .runUntil(10);
    expect(call.extractionRequests.map(({ model }) => model).slice(0, 2)).toEqual(['model', 'second']);
    expect(requests(call).map(([model]) => model)).toEqual(['model', 'model']);
  });
});
