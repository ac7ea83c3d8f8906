import type { Agent, CreateAgentRequest, UpdateAgentRequest } from '../../generated/client.ts';

/** Fields of an answer that the document leaves out: the service sets them. `transcriber_configuration` repeats `transcriber`. */
export const SERVICE_FIELDS: readonly string[] = [
  'id',
  'organization_id',
  'version',
  'transcriber_configuration',
  'created_at',
  'updated_at',
  'warnings',
] satisfies readonly (keyof Agent)[];

/** As little as makes a conversation that can end. */
const BEGINNING: CreateAgentRequest = {
  name: 'New agent',
  language: 'en',
  initial_message: 'Hello, how can I help you?',
  base_prompt: 'You answer the phone. Keep your answers short.',
  initial_state_name: 'greeting',
  states: [
    {
      name: 'greeting',
      prompt: 'Find out what the user needs.',
      transitions: [{ condition: 'The user wants to end the call.', destination_state_name: 'goodbye' }],
    },
    { name: 'goodbye', prompt: 'Say goodbye.', tools: [{ type: 'hang_up', name: 'hang_up' }] },
  ],
};

/** The document of a new agent. */
export const NEW_AGENT = JSON.stringify(BEGINNING, null, 2);

/** An agent as the text that is edited: without the fields that the service sets. */
export function agentDocument(agent: Agent): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(agent).filter(([name]) => !SERVICE_FIELDS.includes(name))),
    null,
    2,
  );
}

/** The change that makes `base` the document: the service keeps fields that a change leaves out, so those are reset. */
export function agentPatch(document: CreateAgentRequest, base: Agent): UpdateAgentRequest {
  const omitted = Object.keys(base).filter((name) => !SERVICE_FIELDS.includes(name) && !(name in document));
  return { ...Object.fromEntries(omitted.map((name) => [name, null])), ...document };
}

export function parsedJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return null;
  }
}

/** null: the text is not a JSON object. */
export function parsedObject(content: string): object | null {
  const document = parsedJson(content);
  return typeof document === 'object' && document !== null && !Array.isArray(document) ? document : null;
}

/** The service checks the fields; only the form of a request is certain here. */
export function isDocument(value: unknown): value is CreateAgentRequest {
  return typeof value === 'object' && value !== null && 'name' in value;
}

export interface GraphState {
  readonly name: string;
  readonly tools: readonly string[];
  readonly transitions: readonly { readonly condition: string; readonly to: string }[];
  /** The place in the drawing that a user has chosen. */
  readonly position?: { readonly x: number; readonly y: number };
}

export interface AgentGraph {
  readonly initial: string | null;
  readonly states: readonly GraphState[];
}

/** The states of a document that is perhaps being edited; null while it has none that can be drawn. */
export function parsedGraph(content: string): AgentGraph | null {
  const document = parsedJson(content);
  const states = listOf(fieldOf(document, 'states')).flatMap((state) => {
    const name = fieldOf(state, 'name');
    if (typeof name !== 'string') return [];
    const tools = listOf(fieldOf(state, 'tools')).flatMap((tool) => textOf(fieldOf(tool, 'name')));
    const transitions = listOf(fieldOf(state, 'transitions')).flatMap((transition) =>
      textOf(fieldOf(transition, 'destination_state_name')).map((to) => ({
        condition: textOf(fieldOf(transition, 'condition'))[0] ?? '',
        to,
      })),
    );
    const [x, y] = [fieldOf(state, 'x_position'), fieldOf(state, 'y_position')];
    const position = typeof x === 'number' && typeof y === 'number' ? { position: { x, y } } : {};
    return [{ name, tools, transitions, ...position }];
  });
  const initial = fieldOf(document, 'initial_state_name');
  return states.length === 0 ? null : { initial: typeof initial === 'string' ? initial : null, states };
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): readonly string[] {
  return typeof value === 'string' ? [value] : [];
}
