import { describe, expect, it } from 'vitest';
import type { CallContext } from '../../../engine/core/context.ts';
import { initialContext } from '../../../engine/session/machine/initial-context.ts';
import {
  knowledgeFunction,
  knowledgeResult,
  knowledgeSearch,
  offeredKnowledgeFunctions,
} from '../../../engine/tool-definitions/knowledge-search-tool.ts';
import { agentWith, CALL_PARAMETERS } from '../simulation/agent-with.ts';
import type { Scenario } from '../simulation/scenario.ts';

const BASE = '00000000-0000-4000-8000-0000000000b1';
const OTHER = '00000000-0000-4000-8000-0000000000b2';
const TOLD_MAX = 8_000;

const contextOf = (agent: Scenario['agent']): CallContext => initialContext(agentWith(agent), CALL_PARAMETERS);

describe('the function that searches', () => {
  it('has a name that no tool of the state has, and the bases of agent and state, each once', () => {
    const named = (names: readonly string[]) =>
      knowledgeFunction(
        contextOf({
          knowledge_base_ids: [BASE],
          states: [
            {
              name: 'start',
              knowledge_base_ids: [OTHER, BASE],
              tools: names.map((name) => ({ type: 'wait' as const, name })),
            },
          ],
        }),
      );
    expect(named([])).toEqual({ name: 'search_knowledge', knowledgeBaseIds: [BASE, OTHER] });
    expect(named(['search_knowledge'])?.name).toBe('search_knowledge_2');
    expect(named(['search_knowledge_2', 'search_knowledge'])?.name).toBe('search_knowledge_3');
  });

  it('says what it is for, and wants a query', () => {
    const [offered, ...others] = offeredKnowledgeFunctions(contextOf({ knowledge_base_ids: [BASE] }));
    expect(others).toEqual([]);
    expect(offered?.description).toContain('Searches');
    expect(offered?.parameters).toMatchObject({ required: ['query'] });
  });

  it('is not there without a base, nor in a state that there is not', () => {
    expect(offeredKnowledgeFunctions(contextOf({}))).toEqual([]);
    expect(knowledgeFunction(contextOf({}), 7)).toBeNull();
    expect(knowledgeFunction(contextOf({ knowledge_base_ids: [BASE] }), 7)?.knowledgeBaseIds).toEqual([BASE]);
  });

  it('searches with so much of a query as anybody would say', () => {
    const search = (query: string) =>
      knowledgeSearch({ name: 'search_knowledge', knowledgeBaseIds: [BASE] }, new Map([['query', query]]));
    expect(search('opening hours')).toEqual({ knowledgeBaseIds: [BASE], query: 'opening hours' });
    expect(search('x'.repeat(501)).query).toHaveLength(500);
  });
});

describe('what the model is told of a search', () => {
  /** A passage that is so long with the line that says where it stands. */
  const passage = (length: number) => ({
    source: 'a.pdf',
    page: null,
    heading: '',
    content: 'x'.repeat(length - '[a.pdf]\n'.length),
  });
  const told = (...lengths: readonly number[]) =>
    knowledgeResult({ type: 'found', passages: lengths.map(passage) }).content;

  it('is whether it could be made, and sets no variable', () => {
    const content = 'The search could not be made.';
    expect(knowledgeResult({ type: 'failed' })).toEqual({ successful: false, content, mapped: [] });
    expect(knowledgeResult({ type: 'found', passages: [] })).toEqual({
      successful: true,
      content: 'Nothing was found.',
      mapped: [],
    });
    expect(knowledgeResult({ type: 'found', passages: [passage(20)] })).toEqual({
      successful: true,
      content: '[a.pdf]\nxxxxxxxxxxxx',
      mapped: [],
    });
  });

  it('is whole passages, an empty line between two, as many as fit', () => {
    expect(told(20, 20)).toBe('[a.pdf]\nxxxxxxxxxxxx\n\n[a.pdf]\nxxxxxxxxxxxx');
    expect(told(4_000, TOLD_MAX - 4_000 - 2)).toHaveLength(TOLD_MAX);
    expect(told(4_000, TOLD_MAX - 4_000 - 1)).toHaveLength(4_000);
    expect(told(4_000, 5_000, 20)).toHaveLength(4_000);
  });

  it('is the beginning of the first where that alone is too long', () => {
    expect(told(TOLD_MAX)).toHaveLength(TOLD_MAX);
    expect(told(TOLD_MAX + 1, 20)).toHaveLength(TOLD_MAX);
  });
});
