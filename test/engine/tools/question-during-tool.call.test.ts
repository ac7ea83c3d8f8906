import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageTurns } from '../../../adapters/anthropic/message-turns.ts';
import { PROPERTY_TIMEOUT_MS, propertyRuns } from '../properties/property-runs.ts';
import { rejectionReasons } from '../properties/strict-provider.ts';
import { FINAL_MS, MODEL_MS, RESPONSE_MS, VOICE_MS } from '../simulation/default-timing.ts';
import { expectReplay } from '../simulation/expect-replay.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { Simulation } from '../simulation/simulation.ts';

const LOOKUP = { type: 'custom_function' as const, name: 'lookup', url: 'https://example.com', timeout: 60 };
const OTHER = { ...LOOKUP, name: 'other' };
const AGENT = { states: [{ name: 'start', tools: [LOOKUP, OTHER] }] };
const CALL = { toolCalls: [{ name: 'lookup' }] };

const SPEECH_END_MS = 1_500;
const CALLED_MS = SPEECH_END_MS + FINAL_MS + MODEL_MS;
const QUESTION_END_S = 4;
const RESULT_AFTER_S = 8;
const RESULT_MS = CALLED_MS + RESULT_AFTER_S * 1000;

function callWithQuestion(
  question: string,
  model: NonNullable<Scenario['model']> = [CALL, { text: 'At nine.' }, { text: 'It costs ten.' }],
  scenario: Partial<Scenario> = {},
): Simulation {
  return new Simulation({
    agent: AGENT,
    model,
    tools: { lookup: { after: RESULT_AFTER_S, result: { content: '{"price":10}' } } },
    ...scenario,
  })
    .userSpeaks(0.5, SPEECH_END_MS / 1000, 'What does it cost?')
    .userSpeaks(3, QUESTION_END_S, question);
}
const lastMessages = (call: Simulation, nth: number) => call.modelRequests[nth]?.messages.slice(1);

describe('a question during a tool call', () => {
  it('is answered at once, and the result leads to another answer without a filler between them', () => {
    const call = callWithQuestion('And when do you close?').runUntil(20);
    expect(call.heard.map(({ text, fromMs }) => [text, fromMs])).toEqual([
      ['At nine.', QUESTION_END_S * 1000 + RESPONSE_MS],
      ['It costs ten.', RESULT_MS + MODEL_MS + VOICE_MS],
    ]);
    expect(call.toolRuns).toHaveLength(1);
    expect(call.journalEntries('tool_called')).toHaveLength(1);
    expectReplay(call);
  });

  it('sees the call as still running, and the result after it as data', () => {
    const call = callWithQuestion('And when do you close?').runUntil(20);
    expect(lastMessages(call, 1)).toEqual([
      { role: 'user', content: 'What does it cost?' },
      expect.objectContaining({ role: 'assistant', toolCalls: [expect.objectContaining({ name: 'lookup' })] }),
      { role: 'tool', toolCallId: 'c1_0', content: expect.stringContaining('Still running.') },
      { role: 'user', content: 'And when do you close?' },
    ]);
    const [last] = lastMessages(call, 2)?.slice(-1) ?? [];
    const content = '[Not said by the caller. The function lookup has answered: "{\\"price\\":10}"]';
    expect(last).toEqual({ role: 'user', content });
    expect(call.modelRequests.flatMap(rejectionReasons)).toEqual([]);
  });

  it.each([
    ['short', { agent: AGENT }, 3.8],
    ['of an agent that users may not interrupt', { agent: { ...AGENT, interruptions: false } }, 3],
    ['of an agent that ignores single words', { agent: { ...AGENT, interruptions_sensitivity: 'low' as const } }, 3.6],
  ])('needs no interruption: %s', (_case, scenario, from) => {
    const call = new Simulation({
      model: [CALL, { text: 'At nine.' }],
      tools: { lookup: { after: RESULT_AFTER_S, result: {} } },
      ...scenario,
    })
      .userSpeaks(0.5, SPEECH_END_MS / 1000, 'What does it cost?')
      .userSpeaks(from, QUESTION_END_S, 'When?')
      .runUntil(20);
    expect(call.heard[0]).toMatchObject({ text: 'At nine.', fromMs: QUESTION_END_S * 1000 + RESPONSE_MS });
  });

  it('is ignored if it is a backchannel: the result is the answer', () => {
    const call = callWithQuestion('Mhm.', [CALL, { text: 'It costs ten.' }]).runUntil(20);
    expect(call.modelRequests).toHaveLength(2);
    expect(call.heardTexts.at(-1)).toBe('It costs ten.');
  });

  it('is ignored if it is a hesitation: the result is the answer, and nothing else follows it', () => {
    const call = callWithQuestion('Um.', [CALL, { text: 'It costs ten.' }]).runUntil(20);
    expect(call.modelRequests).toHaveLength(2);
    expect(call.heardTexts.at(-1)).toBe('It costs ten.');
    expect(call.dialogue).toContain('user: Um.');
  });

  describe('whose answer was not heard when the result comes', () => {
    const QUESTION = 'And when do you close?';
    const SLOW_ANSWER = { after: 1, text: 'I am still checking.' };
    /** The question ends shortly before the result; the answer would be heard after the result. */
    const callWithLateQuestion = (model: NonNullable<Scenario['model']>, otherAfter = 1) =>
      new Simulation({
        agent: AGENT,
        model,
        tools: { lookup: { after: RESULT_AFTER_S, result: {} }, other: { after: otherAfter, result: {} } },
      })
        .userSpeaks(0.5, SPEECH_END_MS / 1000, 'What does it cost?')
        .userSpeaks(8, 9, QUESTION);

    it('is asked again with the result', () => {
      const call = callWithLateQuestion([CALL, SLOW_ANSWER, { text: 'It costs ten, and we close at nine.' }]).runUntil(
        20,
      );
      expect(call.heard.map(({ text, fromMs }) => [text, fromMs]).at(-1)).toEqual([
        'It costs ten, and we close at nine.',
        RESULT_MS + MODEL_MS + VOICE_MS,
      ]);
      expect(call.heardTexts).not.toContain('I am still checking.');
      expect(call.modelRequests).toHaveLength(3);
      expect(lastMessages(call, 2)?.at(-1)).toEqual({ role: 'user', content: QUESTION });
      expect(lastMessages(call, 2)?.at(-2)).toEqual({ role: 'tool', toolCallId: 'c1_0', content: '{}' });
      expect(call.modelRequests.flatMap(rejectionReasons)).toEqual([]);
      expectReplay(call);
    });

    it('waits for the other tools', () => {
      const calls = { toolCalls: [{ name: 'lookup' }, { name: 'other' }] };
      const call = callWithLateQuestion([calls, SLOW_ANSWER, { text: 'It costs ten.' }], RESULT_AFTER_S + 4);
      expect(call.runUntil(20).heardTexts.slice(-2)).toEqual([SLOW_ANSWER.text, 'It costs ten.']);
    });
  });

  it('leaves the result pending while its answer plays, and until a reply with it was heard', () => {
    const call = callWithQuestion('And when do you close?', [
      CALL,
      { text: 'We close at nine in the evening on every day except on Sundays and on holidays, of course.' },
      { text: 'It costs ten.' },
      { text: 'Ten, and a minute.' },
    ])
      // The reply with the result is interrupted before it is heard.
      .userSpeaks(13.9, 14.6, 'How long does it take?')
      .runUntil(30);
    expect(call.heardTexts.at(-1)).toBe('Ten, and a minute.');
    expect(JSON.stringify(call.modelRequests.at(-1)?.messages)).toContain('The function lookup has answered');
  });

  it('extracts no variable from a late result', () => {
    const agent = { ...AGENT, variables: [{ name: 'price' }] };
    const call = callWithQuestion('And when do you close?', undefined, { agent })
      .userSpeaks(14, 15, 'Fine.')
      .runUntil(20);
    expect(JSON.stringify(call.extractionRequests)).not.toContain('has answered');
  });
});

describe('tool calls, questions and results in any order', () => {
  const anyTurn = fc.record({
    gap: fc.integer({ min: 1, max: 60 }),
    length: fc.integer({ min: 3, max: 20 }),
    text: fc.constantFrom('And when do you close?', 'Wait, two people.', 'Mhm.', 'Stop.', 'What?'),
  });
  const anyResponse = fc.record({
    after: fc.constantFrom(0.05, 0.3, 2),
    text: fc.constantFrom('', 'Let me see.', 'It is ten in the morning.'),
    toolCalls: fc.array(fc.constantFrom({ name: 'lookup' }, { name: 'other' }), { maxLength: 2 }),
  });

  it(
    'give each call one result in order, for both kinds of providers, and lose no result',
    () => {
      fc.assert(
        fc.property(
          fc.array(anyResponse, { maxLength: 6 }),
          fc.array(anyTurn, { minLength: 1, maxLength: 8 }),
          fc.constantFrom(0.2, 2, 7, 25),
          fc.constantFrom(0.4, 5, 13),
          (model, turns, lookupAfter, otherAfter) => {
            const call = new Simulation({
              agent: AGENT,
              model: [CALL, ...model],
              tools: {
                lookup: { after: lookupAfter, result: { content: 'RESULT' } },
                other: { after: otherAfter, result: { content: 'RESULT' } },
              },
            });
            let at = 0;
            for (const { gap, length, text } of turns) {
              const from = at + gap / 10;
              at = from + length / 10;
              call.userSpeaks(from, at, text);
            }
            // Up to seven responses call a tool that takes 25 s.
            call.runUntil(at + 200);
            for (const request of call.modelRequests) expect(rejectionReasons(request)).toEqual([]);
            for (const { messages } of call.modelRequests) expect(resultFaults(messageTurns(messages))).toEqual([]);
            const answered = call.journalEntries('tool_called').length;
            expect(answered).toBe(call.toolRuns.length);
            const last = JSON.stringify(call.modelRequests.at(-1)?.messages);
            expect(last.split('RESULT').length - 1).toBe(answered);
          },
        ),
        { numRuns: propertyRuns(150) },
      );
    },
    PROPERTY_TIMEOUT_MS,
  );
});

/** The rule of the Messages API: the turn after the calls begins with exactly one result for each, in order. */
function resultFaults(turns: ReturnType<typeof messageTurns>): readonly string[] {
  return turns.flatMap(({ content }, index) => {
    const calls = content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
    const next = turns[index + 1]?.content ?? [];
    const results = next.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
    const areFirst = next.slice(0, results.length).every(({ type }) => type === 'tool_result');
    return JSON.stringify(calls) === JSON.stringify(results) && areFirst ? [] : [`${calls} got ${results}`];
  });
}
