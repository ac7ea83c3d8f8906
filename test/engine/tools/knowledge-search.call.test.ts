import { describe, expect, it } from 'vitest';
import { expectReplay } from '../simulation/expect-replay.ts';
import { Simulation } from '../simulation/simulation.ts';

const BASE = '00000000-0000-4000-8000-0000000000b1';
const OTHER_BASE = '00000000-0000-4000-8000-0000000000b2';
const HOURS = { source: 'hours.pdf', page: 3, heading: 'Opening hours', content: 'We open at nine.' };
const SEARCH = { toolCalls: [{ name: 'search_knowledge', arguments: { query: 'opening hours' } }] };

const functionNames = (call: Simulation, nth = 0) => call.modelRequests[nth]?.functions.map(({ name }) => name);

describe('an agent with knowledge bases', () => {
  it('searches them when the model calls the function, and passes on passages and sources', () => {
    const call = new Simulation({
      agent: { knowledge_base_ids: [BASE], states: [{ name: 'start', knowledge_base_ids: [OTHER_BASE, BASE] }] },
      model: [SEARCH, { text: 'At nine.' }],
      knowledge: { after: 0.02, result: { type: 'found', passages: [HOURS, { ...HOURS, page: null, heading: '' }] } },
    })
      .userSpeaks(0.5, 1.5, 'When do you open?')
      .runUntil(10);
    expect(functionNames(call)).toEqual(['search_knowledge']);
    expect(call.knowledgeSearches).toEqual([{ knowledgeBaseIds: [BASE, OTHER_BASE], query: 'opening hours' }]);
    expect(call.modelRequests[1]?.messages.at(-1)).toEqual({
      role: 'tool',
      toolCallId: 'c1_0',
      content: '[hours.pdf, page 3, Opening hours]\nWe open at nine.\n\n[hours.pdf]\nWe open at nine.',
    });
    expect(call.heard.map(({ text }) => text)).toEqual(['At nine.']);
    expect(call.transcript).toMatchObject([
      { role: 'user' },
      {
        role: 'tool_call',
        name: 'search_knowledge',
        toolType: 'search_knowledge',
        arguments: { query: 'opening hours' },
      },
      { role: 'tool_response', name: 'search_knowledge', successful: true },
      { role: 'agent' },
    ]);
    expectReplay(call);
  });

  it('offers the search function only if the agent or its state has a knowledge base', () => {
    const call = new Simulation({ agent: {}, model: [SEARCH, { text: 'I do not know.' }] })
      .userSpeaks(0.5, 1.5, 'When do you open?')
      .runUntil(10);
    expect(functionNames(call)).toEqual([]);
    expect(call.knowledgeSearches).toEqual([]);
    expect(call.modelRequests[1]?.messages.at(-1)?.content).toBe(
      'Not done. There is no function «search_knowledge» here.',
    );
  });

  it('renames the search function if a configured tool has its name', () => {
    const tool = { type: 'hang_up' as const, name: 'search_knowledge' };
    const call = new Simulation({
      agent: { knowledge_base_ids: [BASE], states: [{ name: 'start', tools: [tool] }] },
      model: [{ toolCalls: [{ name: 'search_knowledge_2', arguments: { query: 'hours' } }] }, { text: 'At nine.' }],
    })
      .userSpeaks(0.5, 1.5, 'When do you open?')
      .runUntil(10);
    expect(functionNames(call)).toEqual(['search_knowledge', 'search_knowledge_2']);
    expect(call.knowledgeSearches).toHaveLength(1);
    expect(call.modelRequests[1]?.messages.at(-1)?.content).toBe('Nothing was found.');
  });

  it('rejects a search without a query', () => {
    const call = new Simulation({
      agent: { knowledge_base_ids: [BASE] },
      model: [{ toolCalls: [{ name: 'search_knowledge', arguments: {} }] }, { text: 'Sorry?' }],
    })
      .userSpeaks(0.5, 1.5, 'When do you open?')
      .runUntil(10);
    expect(call.knowledgeSearches).toEqual([]);
    expect(call.modelRequests[1]?.messages.at(-1)?.content).toContain('«query» must be given');
  });

  it.each([
    ['fails', { after: 0.02, result: { type: 'failed' } }, 'The search could not be made.'],
    ['throws', { after: 0, result: 'throws' }, 'The search could not be made.'],
    ['does not answer', { after: 60, result: { type: 'failed' } }, 'It did not answer in time.'],
  ] as const)('continues if the search %s', (_outcome, knowledge, expectedContent) => {
    const call = new Simulation({
      agent: { knowledge_base_ids: [BASE] },
      model: [SEARCH, { text: 'I cannot say.' }],
      knowledge,
    })
      .userSpeaks(0.5, 1.5, 'When do you open?')
      .runUntil(10);
    expect(call.modelRequests).toHaveLength(2);
    expect(call.modelRequests[1]?.messages.at(-1)?.content).toBe(expectedContent);
    expect(call.heard.map(({ text }) => text)).toEqual(['I cannot say.']);
    expect(call.transcript.find(({ role }) => role === 'tool_response')).toMatchObject({ successful: false });
  });

  it('gives the model at most 8,000 characters of passages', () => {
    const passages = Array.from({ length: 20 }, () => ({ ...HOURS, content: 'x'.repeat(1_000) }));
    const call = new Simulation({
      agent: { knowledge_base_ids: [BASE] },
      model: [SEARCH, { text: 'Yes.' }],
      knowledge: { after: 0.02, result: { type: 'found', passages } },
    })
      .userSpeaks(0.5, 1.5, 'When do you open?')
      .runUntil(10);
    expect(call.modelRequests[1]?.messages.at(-1)?.content.length).toBeLessThanOrEqual(8_000);
  });
});
