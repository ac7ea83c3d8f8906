import { describe, expect, it } from 'vitest';
import type { Variable } from '../../../engine/agent/variable-schema.ts';
import type { CallContext } from '../../../engine/core/context.ts';
import type { RuleStep } from '../../../engine/core/rule-step.ts';
import type { ModelRequest } from '../../../engine/ports/language-model.ts';
import { conversationRequest, extractionRequest, summaryRequest } from '../../../engine/prompts/model-requests.ts';
import { initialContext } from '../../../engine/session/machine/initial-context.ts';
import { addAgentItem, addToolResult, addUserText, changeAgentItem } from '../../../engine/transcript/history.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';
import { ruleStep } from '../simulation/rule-step.ts';
import type { Scenario } from '../simulation/scenario.ts';

const CALLER = 'My name is Ada, and I want to come at seven.';
const ANSWER = 'For how many?';
const RESULT = `{"free":true,"note":"${'x'.repeat(1_000)}"}`;
const SUMMARY = 'Ada wants a table.';

function stepWith(agent: Scenario['agent'], context: Partial<CallContext> = {}): RuleStep {
  return ruleStep({ ...initialContext(agentWith(agent), CALL_PARAMETERS), variables: new Map(), ...context });
}

/** The user has spoken, a function was called without a word and has answered, and the agent has asked. */
function talked(agent: Scenario['agent'] = {}, context: Partial<CallContext> = {}): RuleStep {
  const step = stepWith(agent, context);
  addUserText(step, CALLER);
  changeAgentItem(step, addAgentItem(step), { calls: [{ id: 'call_1', name: 'lookup', arguments: '{}' }] });
  addToolResult(step, 'call_1', RESULT);
  changeAgentItem(step, addAgentItem(step), { text: ANSWER });
  return step;
}

const contents = ({ messages }: ModelRequest) => messages.map(({ role, content }) => [role, content]);
const system = (request: ModelRequest) => (request.messages[0]?.content ?? '').split('\n\n');
const variablesOf = (names: readonly string[]): readonly Variable[] =>
  agentWith({ variables: names.map((name) => ({ name })) }).variables;
const summed = (text: string | null): CallContext['summary'] => ({ ...ruleStep().context.summary, text });

describe('what the model is asked for the agent’s next words', () => {
  it('is led in by all that it is to know, each in a paragraph of its own', () => {
    const step = talked(
      { base_prompt: 'You are Anna.', language: 'de', states: [{ name: 'start', prompt: 'Take the booking.' }] },
      {
        variables: new Map([
          ['name', { value: 'Ada', atUs: 0 }],
          ['size', { value: 4, atUs: 0 }],
        ]),
        summary: summed(SUMMARY),
        notes: ['The kitchen closes at ten.', 'The terrace is full.'],
      },
    );
    const [base, state, known, before, told, ...rest] = system(conversationRequest(step, true));
    expect([base, state, known, before, told]).toEqual([
      'You are Anna.',
      'Take the booking.',
      'What is known:\n- name: Ada\n- size: 4',
      `What was said before, in short:\n${SUMMARY}`,
      'What you were told during the call:\n- The kitchen closes at ten.\n- The terrace is full.',
    ]);
    expect(rest).toHaveLength(2);
    expect(rest[0]).toContain('2026-03-01T10:00:00.000Z');
    expect(rest[0]).toContain('«de»');
    expect(rest[1]).toContain('on the phone');
  });

  it('holds no empty paragraph', () => {
    const parts = system(conversationRequest(talked(), true));
    expect(parts).toHaveLength(2);
    expect(parts[0]).toContain('The call began');
    expect(parts[1]).toContain('on the phone');
  });

  it('is the conversation, and a note where nobody has spoken since', () => {
    const step = talked();
    const last = conversationRequest(step, true).messages.at(-1);
    expect(last).toEqual({ role: 'user', content: expect.stringContaining('The caller has said nothing since') });
    addUserText(step, 'For four.');
    expect(contents(conversationRequest(step, true)).slice(1)).toEqual([
      ['user', CALLER],
      ['assistant', ''],
      ['tool', RESULT],
      ['assistant', ANSWER],
      ['user', 'For four.'],
    ]);
    expect(contents(conversationRequest(stepWith({}), true)).slice(1)).toEqual([['user', last?.content]]);
  });

  it('is what is left of an answer that broke off', () => {
    const step = talked();
    const broken = step.context.history.at(-1)?.id;
    expect(conversationRequest(step, true, broken).messages.at(-1)?.content).toContain('Go on from exactly where');
    expect(conversationRequest(step, true, addAgentItem(step)).messages.at(-1)?.content).not.toContain('Go on from');
  });

  it('has the temperature that the agent names, or none', () => {
    const asked = (llm: object) =>
      conversationRequest(talked({ llm: { provider: 'test', model: 'model', ...llm } }), true);
    expect(asked({ temperature: 0.4 })).toMatchObject({ provider: 'test', model: 'model', temperature: 0.4 });
    expect(asked({ temperature: 0 }).temperature).toBe(0);
    expect(asked({})).not.toHaveProperty('temperature');
  });
});

describe('what an extraction is asked', () => {
  /** All but the user's last words were read before, for the name. */
  function asked(names: readonly string[], context: Partial<CallContext> = {}): ModelRequest {
    const step = talked({}, context);
    const readThrough = step.context.history.at(-1)?.id ?? 0;
    step.change({ extraction: { ...step.context.extraction, readThrough, read: new Set(['name']) } });
    addUserText(step, 'For four.');
    return extractionRequest(step, variablesOf(names), { provider: 'other', model: 'small', temperature: 1 });
  }
  const known: CallContext['variables'] = new Map([
    ['name', { value: 'Ada', atUs: 0 }],
    ['size', { value: 4, atUs: 0 }],
    ['secret', { value: 'x', atUs: 0 }],
  ]);

  it('is what is new, behind what is known and was said before', () => {
    const request = asked(['name'], { variables: known, summary: summed(SUMMARY) });
    expect(contents(request).slice(1)).toEqual([
      [
        'user',
        `What is known:\n- name: Ada\n\nSaid before:\nCaller: ${CALLER}\nAgent: ${ANSWER}\n\nNew:\nCaller: For four.`,
      ],
    ]);
    const [instructions] = request.messages;
    expect(instructions?.role).toBe('system');
    expect(instructions?.content).toMatch(/null.*2026-03-01\.$/);
    expect(request).toMatchObject({ provider: 'other', model: 'small', temperature: 0, functions: [] });
    expect(request.answerSchema?.name).toBe('variables');
  });

  it('is the whole call, its summary too, where one variable was never asked for', () => {
    expect(contents(asked(['name', 'size'], { summary: summed(SUMMARY) }))[1]?.[1]).toBe(
      `Said before:\n${SUMMARY}\nCaller: ${CALLER}\nAgent: ${ANSWER}\n\nNew:\nCaller: For four.`,
    );
    expect(contents(asked(['size']))[1]?.[1]).toBe(
      `Said before:\nCaller: ${CALLER}\nAgent: ${ANSWER}\n\nNew:\nCaller: For four.`,
    );
  });
});

describe('what a summary is asked of', () => {
  function asked(text: string | null): ModelRequest {
    const step = talked({ language: 'fr', llm: { provider: 'test', model: 'model', temperature: 1 } });
    step.change({ summary: { ...summed(text), dropped: step.context.history } });
    return summaryRequest(step);
  }
  const conversation = `Conversation:\nCaller: ${CALLER}\nA tool answered: ${RESULT.slice(0, 1_000)}\nAgent: ${ANSWER}`;

  it('is the turns that left, with the beginning of each result, behind the summary before them', () => {
    const request = asked(SUMMARY);
    expect(contents(request).slice(1)).toEqual([
      ['user', `Summary of what came before:\n${SUMMARY}\n\n${conversation}`],
    ]);
    const [instructions] = request.messages;
    expect(instructions?.role).toBe('system');
    expect(instructions?.content).toMatch(/at most 400 words.*«fr»/);
    expect(request).toMatchObject({ provider: 'test', model: 'model', temperature: 0, functions: [] });
    expect(contents(asked(null)).slice(1)).toEqual([['user', conversation]]);
  });
});
