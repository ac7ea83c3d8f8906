import type { JsonValue } from '../agent/json-value.ts';
import { textOf } from '../agent/templates.ts';
import type { CallContext } from '../core/context.ts';
import type { KnowledgePassage, KnowledgeResult, KnowledgeSearch } from '../ports/knowledge.ts';
import type { ModelFunction } from '../ports/language-model.ts';
import type { ToolResult } from '../ports/tool-runner.ts';
import { type ModelParameter, objectSchema } from './model-functions.ts';

/** Name of the function, and type of its calls in the transcript. */
export const KNOWLEDGE_TOOL_TYPE = 'search_knowledge';
/** A longer query is cut, in characters. */
const QUERY_LENGTH_MAX = 500;
/** Length of all passages together. The first passage that does not fit, and all after it, are left out. */
const PASSAGES_LENGTH_MAX = 8_000;

export const KNOWLEDGE_PARAMETERS: readonly ModelParameter[] = [
  { name: 'query', type: 'string', description: 'What to look for: the words that would stand in the text.' },
];

/** The function that searches the knowledge bases of the agent and of its current state. */
export interface KnowledgeFunction {
  readonly name: string;
  readonly knowledgeBaseIds: readonly string[];
}

/** Null without knowledge bases. If a tool of the agent has the name, the function gets a number. */
export function knowledgeFunction({ agent, stateIndex }: CallContext, atState = stateIndex): KnowledgeFunction | null {
  const state = agent.states[atState];
  const knowledgeBaseIds = [...new Set([...agent.knowledge_base_ids, ...(state?.knowledge_base_ids ?? [])])];
  if (knowledgeBaseIds.length === 0) return null;
  const taken = new Set(state?.tools.map((tool) => tool.name));
  let name: string = KNOWLEDGE_TOOL_TYPE;
  for (let number = 2; taken.has(name); number++) name = `${KNOWLEDGE_TOOL_TYPE}_${number}`;
  return { name, knowledgeBaseIds };
}

/** The function for a model request; empty without knowledge bases. */
export function offeredKnowledgeFunctions(context: CallContext): readonly ModelFunction[] {
  const found = knowledgeFunction(context);
  if (found === null) return [];
  const description =
    'Searches the texts that you were given to know. Use it before you answer what they may say; never invent what they do not.';
  return [{ name: found.name, description, parameters: objectSchema(KNOWLEDGE_PARAMETERS) }];
}

export function knowledgeSearch(
  { knowledgeBaseIds }: KnowledgeFunction,
  values: ReadonlyMap<string, JsonValue>,
): KnowledgeSearch {
  return { knowledgeBaseIds, query: textOf(values.get('query') ?? '').slice(0, QUERY_LENGTH_MAX) };
}

/** The tool result of a search: the passages with their sources. */
export function knowledgeResult(result: KnowledgeResult): ToolResult {
  if (result.type === 'failed') return { successful: false, content: 'The search could not be made.', mapped: [] };
  const { passages } = result;
  if (passages.length === 0) return { successful: true, content: 'Nothing was found.', mapped: [] };
  let content = '';
  for (const passage of passages) {
    const text = passageText(passage);
    const more = content === '' ? text : `${content}\n\n${text}`;
    if (content !== '' && more.length > PASSAGES_LENGTH_MAX) break;
    content = more;
  }
  return { successful: true, content: content.slice(0, PASSAGES_LENGTH_MAX), mapped: [] };
}

function passageText({ source, page, heading, content }: KnowledgePassage): string {
  const place = [source, page === null ? '' : `page ${page}`, heading].filter((part) => part !== '').join(', ');
  return `[${place}]\n${content}`;
}
