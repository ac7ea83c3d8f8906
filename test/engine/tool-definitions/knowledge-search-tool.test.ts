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
const OTHER_BASE = '00000000-0000-4000-8000-0000000000b2';
const RESULT_CHARACTERS_MAX = 8_000;

const contextOf = (agent: Scenario['agent']): CallContext => initialContext(agentWith(agent), CALL_PARAMETERS);

describe('the search function', () => {
  it('has a unique name, and each knowledge base of agent and state once', () => {
    const functionBeside = (names: readonly string[]) =>
      knowledgeFunction(
        contextOf({
          knowledge_base_ids: [BASE],
          states: [
            {
              name: 'start',
              knowledge_base_ids: [OTHER_BASE, BASE],
              tools: names.map((name) => ({ type: 'wait' as const, name })),
            },
          ],
        }),
      );
    expect(functionBeside([])).toEqual({ name: 'search_knowledge', knowledgeBaseIds: [BASE, OTHER_BASE] });
    expect(functionBeside(['search_knowledge'])?.name).toBe('search_knowledge_2');
    expect(functionBeside(['search_knowledge_2', 'search_knowledge'])?.name).toBe('search_knowledge_3');
  });

  it('has a description, and requires a query', () => {
    const [searchFunction, ...otherFunctions] = offeredKnowledgeFunctions(contextOf({ knowledge_base_ids: [BASE] }));
    expect(otherFunctions).toEqual([]);
    expect(searchFunction?.description).toContain('Searches');
    expect(searchFunction?.parameters).toMatchObject({ required: ['query'] });
  });

  it('does not exist without a knowledge base; an unknown state adds none', () => {
    expect(offeredKnowledgeFunctions(contextOf({}))).toEqual([]);
    expect(knowledgeFunction(contextOf({}), 7)).toBeNull();
    expect(knowledgeFunction(contextOf({ knowledge_base_ids: [BASE] }), 7)?.knowledgeBaseIds).toEqual([BASE]);
  });

  it('truncates the query to 500 characters', () => {
    const search = (query: string) =>
      knowledgeSearch({ name: 'search_knowledge', knowledgeBaseIds: [BASE] }, new Map([['query', query]]));
    expect(search('opening hours')).toEqual({ knowledgeBaseIds: [BASE], query: 'opening hours' });
    expect(search('x'.repeat(501)).query).toHaveLength(500);
  });
});

describe('the search result for the model', () => {
  /** A passage of this length, including the line with its source. */
  const passage = (length: number) => ({
    source: 'a.pdf',
    page: null,
    heading: '',
    content: 'x'.repeat(length - '[a.pdf]\n'.length),
  });
  const resultContent = (...lengths: readonly number[]) =>
    knowledgeResult({ type: 'found', passages: lengths.map(passage) }).content;

  it('says whether the search worked, and sets no variable', () => {
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

  it('contains as many whole passages as fit, separated by an empty line', () => {
    expect(resultContent(20, 20)).toBe('[a.pdf]\nxxxxxxxxxxxx\n\n[a.pdf]\nxxxxxxxxxxxx');
    expect(resultContent(4_000, RESULT_CHARACTERS_MAX - 4_000 - 2)).toHaveLength(RESULT_CHARACTERS_MAX);
    expect(resultContent(4_000, RESULT_CHARACTERS_MAX - 4_000 - 1)).toHaveLength(4_000);
    expect(resultContent(4_000, 5_000, 20)).toHaveLength(4_000);
  });

  it('is the beginning of the first passage if that is too long', () => {
    expect(resultContent(RESULT_CHARACTERS_MAX)).toHaveLength(RESULT_CHARACTERS_MAX);
    expect(resultContent(RESULT_CHARACTERS_MAX + 1, 20)).toHaveLength(RESULT_CHARACTERS_MAX);
  });
});
