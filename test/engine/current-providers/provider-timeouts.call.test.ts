import { describe, expect, it } from 'vitest';
import { rejectionReasons } from '../properties/strict-provider.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const FALLBACKS = { fallbacks: { llm: [{ provider: 'test', model: 'second' }] } };
const SILENT = { stalls: true };
const ONE_MOMENT = 'One moment, please.';

/** The user's turn is committed at 1.2 s. */
function asked(agent: object, model: Scenario['model'], more: Partial<Scenario> = {}): Simulation {
  return new Simulation({ agent, ...(model === undefined ? {} : { model }), ...more }).userSpeaks(0.5, 1, 'Hello?');
}
const knowing = (firstTokenP99Ms: number): Partial<Scenario> => ({
  parameters: { modelLatencies: [{ provider: 'test', model: 'model', firstTokenP99Ms }] },
});
const requests = (call: Simulation) =>
  call.tape.flatMap(({ atUs, commands }) =>
    commands.flatMap((one) => (one.type === 'model.request' ? [[one.request.model, atUs / 1000 - 1_200]] : [])),
  );
const timed = (call: Simulation) => call.heard.map(({ text, fromMs }) => [text, fromMs]);

describe('a model that hangs', () => {
  it.each([
    ['three times its 99th percentile', 1_200, 3_600],
    ['never less than 2.5 s', 80, 2_500],
    ['never more than 10 s, as long as one that thinks may take', 5_000, 10_000],
  ])('is waited for %s, then the next one is asked at once', (_, p99Ms, waitedMs) => {
    const call = asked(FALLBACKS, [SILENT, { text: 'Here.' }], knowing(p99Ms)).runUntil(30);
    expect(requests(call)).toEqual([
      ['model', 0],
      ['second', waitedMs],
    ]);
    expect(call.cancelledGenerations).toBe(1);
    expect(call.heardText.endsWith('Here.')).toBe(true);
  });

  it('alone is asked once more, and then has all the time that a model may take', () => {
    const call = asked({}, [SILENT, { firstTokenAfter: 9, after: 9, text: 'Here.' }], knowing(500)).runUntil(40);
    expect(requests(call)).toEqual([
      ['model', 0],
      ['model', 2_500],
    ]);
    expect(call.heardText).toBe(`${ONE_MOMENT} Here.`);
    expect(call.endReason).toBeNull();
  });

  it('of which nothing is known is waited for as before, whatever is known of others', () => {
    const others = { parameters: { modelLatencies: [{ provider: 'test', model: 'second', firstTokenP99Ms: 100 }] } };
    expect(requests(asked(FALLBACKS, [SILENT, SILENT, SILENT], others).runUntil(30)).slice(0, 3)).toEqual([
      ['model', 0],
      ['second', 4_000],
      ['second', 6_500],
    ]);
  });

  it('once it has begun has the time that the rest of an answer may take', () => {
    const call = asked(FALLBACKS, [{ firstTokenAfter: 1, after: 4.5, text: 'Here it is.' }], knowing(100)).runUntil(30);
    expect(requests(call)).toEqual([['model', 0]]);
    expect(call.heardText).toBe('Here it is.');
  });
});

describe('a voice that hangs', () => {
  it.each([
    ['three times its 99th percentile', [900], 2_700],
    ['never less than 2 s', [100], 2_000],
    ['never more than 4 s', [3_000], 4_000],
    ['3 s where nothing is known', [null, 100], 3_000],
  ])('is waited for %s', (_, voiceFirstAudioP99Ms, waitedMs) => {
    const call = new Simulation({
      agent: { initial_message: 'Hello.', fallbacks: { voice: [{ provider: 'test', name: 'second' }] } },
      voicesByName: { voice: { stalls: true } },
      parameters: { voiceFirstAudioP99Ms },
    }).runUntil(20);
    const spoken = call.tape.flatMap(({ atUs, commands }) =>
      commands.flatMap(({ type }) => (type === 'voice.speak' ? [atUs / 1000] : [])),
    );
    expect(Number(spoken[1]) - Number(spoken[0])).toBe(waitedMs);
    expect(call.heardText).toBe('Hello.');
  });
});

describe('a user who waits for the model', () => {
  it('is told so after three seconds, once, and the answer comes right behind', () => {
    const call = asked({}, [{ firstTokenAfter: 8, after: 8, text: 'It is ten.' }]).runUntil(30);
    expect(timed(call)).toEqual([
      [ONE_MOMENT, 4_400],
      ['It is ten.', 9_400],
    ]);
    expect(call.dialogue).toEqual(['user: Hello?', `agent: ${ONE_MOMENT}`, 'agent: It is ten.']);
    expectReplay(call);
  });

  it('is told nothing where the first token comes in time, though the sentence does not', () => {
    const call = asked({}, [{ firstTokenAfter: 2.9, after: 5, text: 'It is ten.' }]).runUntil(30);
    expect(call.heardText).toBe('It is ten.');
  });

  it('is told in the language of the call', () => {
    expect(asked({ language: 'de' }, [SILENT]).runUntil(6).heardText).toBe('Einen Moment, bitte.');
  });

  it('is told once, however many models are asked; none of them is told that its answer broke off', () => {
    const call = asked(FALLBACKS, [SILENT, { firstTokenAfter: 3, after: 3, text: 'Here.' }]).runUntil(30);
    expect(call.heardText).toBe(`${ONE_MOMENT} Here.`);
    const [, second] = call.modelRequests;
    expect(second?.messages.at(-2)).toEqual({ role: 'assistant', content: ONE_MOMENT });
    expect(second?.messages.at(-1)?.content).toContain('Go on with what you still owe them');
    expect(call.modelRequests.flatMap(rejectionReasons)).toEqual([]);
    call.userSpeaks(31, 32, 'And then?').runUntil(40);
    // What was said stays said, in its order.
    expect(call.modelRequests[2]?.messages.slice(1, 3)).toEqual([
      { role: 'user', content: 'Hello?' },
      { role: 'assistant', content: `${ONE_MOMENT} Here.` },
    ]);
  });

  it('and is told again in the next turn', () => {
    const slow = { firstTokenAfter: 3.5, after: 3.5, text: 'Yes.' };
    const call = asked({}, [slow, slow]).userSpeaks(10, 10.5, 'And then?').runUntil(30);
    expect(call.heard.map(({ text }) => text)).toEqual([ONE_MOMENT, 'Yes.', ONE_MOMENT, 'Yes.']);
  });

  it('is not told while they speak themselves, and their words are answered', () => {
    const call = asked({}, [{ firstTokenAfter: 6, after: 6, text: 'Late.' }, { text: 'Yes.' }])
      .userSpeaks(4, 5, 'Are you there?')
      .runUntil(30);
    expect(call.heard.map(({ text }) => text)).toEqual(['Yes.']);
  });

  it('and speaks over it is answered, and the model is told what they have heard of it', () => {
    const call = asked({}, [{ firstTokenAfter: 6, after: 6, text: 'Late.' }, { text: 'Yes.' }])
      .userSpeaks(4.5, 6.5, 'What is going on there?')
      .runUntil(30);
    expect(call.heardText.endsWith('Yes.')).toBe(true);
    expect(call.heardText).not.toContain('Late.');
    expect(call.modelRequests.flatMap(rejectionReasons)).toEqual([]);
  });

  it('is not told on hold', () => {
    const call = asked({}, [{ firstTokenAfter: 6, after: 6, text: 'Late.' }])
      .at(2, (one) => one.emitControlEvent({ type: 'on_hold' }))
      .at(7, (one) => one.emitControlEvent({ type: 'off_hold' }))
      .runUntil(30);
    expect(call.heardText).toBe('Late.');
  });

  it('is answered by figures that count the wait, and not what filled it', () => {
    const call = asked({}, [{ firstTokenAfter: 8, after: 8, text: 'It is ten.' }]).runUntil(30);
    expect(call.journalEntries('turn_metrics').map(({ metrics }) => metrics)).toMatchObject([
      { llmFirstTokenMs: 8_000, responseMs: 3_400, engineMs: null },
    ]);
  });
});
