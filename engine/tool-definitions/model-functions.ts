import type { JsonValue } from '../agent/json-value.ts';
import type { AgentState, Transition } from '../agent/state-schema.ts';
import type { Tool } from '../agent/tool-schema.ts';
import type { Variable, VariableType } from '../agent/variable-schema.ts';
import type { JsonSchema, ModelFunction } from '../ports/language-model.ts';

/** Maximum length of a function name at the providers. */
const NAME_LENGTH_MAX = 64;

/** A transition as a function of the model. `ordinal` counts the transitions of the whole agent. */
export interface TransitionFunction {
  readonly functionName: string;
  readonly ordinal: number;
  readonly transition: Transition;
  readonly destination: number;
}

/** Ordinal of a state's first transition: the number of transitions of the states before it. */
export function firstTransitionOrdinal(states: readonly AgentState[], stateIndex: number): number {
  return states.slice(0, stateIndex).reduce((sum, state) => sum + state.transitions.length, 0);
}

/** The transitions of a state. A transition to an unknown state is left out; the graph check rejects such an agent. */
export function transitionFunctions(states: readonly AgentState[], stateIndex: number): readonly TransitionFunction[] {
  const state = states[stateIndex];
  if (state === undefined) return [];
  const first = firstTransitionOrdinal(states, stateIndex);
  const taken = new Set(state.tools.map((tool) => tool.name));
  return state.transitions.flatMap((transition, index) => {
    const destination = states.findIndex((other) => other.name === transition.destination_state_name);
    if (destination < 0) return [];
    const functionName = freeName(`go_to_${slug(transition.destination_state_name)}`, index, taken);
    taken.add(functionName);
    return [{ functionName, ordinal: first + index, transition, destination }];
  });
}

/** The function name contains the destination's name if it has ASCII letters or digits, otherwise the transition's number. */
function freeName(name: string, index: number, taken: ReadonlySet<string>): string {
  const short = name.slice(0, NAME_LENGTH_MAX - 8).replace(/_$/, '');
  let candidate = short === 'go_to' ? `go_to_${index + 1}` : short;
  for (let attempt = index + 1; taken.has(candidate); attempt++) candidate = `${short}_${attempt}`;
  return candidate;
}

function slug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
}

/**
 * The declared variables without a value that the texts after a function call name. They become arguments of the call:
 * the model knows them already, while an extraction answers too late for the filler or the next prompt.
 */
export interface VariableParameters {
  readonly ofTool: (tool: Tool) => readonly Variable[];
  readonly ofTransition: (transition: TransitionFunction) => readonly Variable[];
}

const NO_VARIABLE_PARAMETERS: VariableParameters = { ofTool: () => [], ofTransition: () => [] };

/** The functions of a state. `variableParameters`: the variables that the model gives with a call. */
export function modelFunctions(
  states: readonly AgentState[],
  stateIndex: number,
  variableParameters: VariableParameters = NO_VARIABLE_PARAMETERS,
): readonly ModelFunction[] {
  const tools = (states[stateIndex]?.tools ?? []).map((tool) => toolFunction(tool, variableParameters.ofTool(tool)));
  const transitions = transitionFunctions(states, stateIndex).map((transition) => ({
    name: transition.functionName,
    description: `Go on to «${transition.transition.destination_state_name}». Use it when: ${transition.transition.condition}`,
    parameters: objectSchema([], variableParameters.ofTransition(transition)),
  }));
  return [...tools, ...transitions];
}

function toolFunction(tool: Tool, variables: readonly Variable[]): ModelFunction {
  const parameters = modelParameters(tool);
  const others = variables.filter(({ name }) => parameters.every((parameter) => parameter.name !== name));
  return {
    name: tool.name,
    description: tool.description === '' ? DEFAULT_DESCRIPTIONS[tool.type] : tool.description,
    parameters: objectSchema(parameters, others),
  };
}

const DEFAULT_DESCRIPTIONS: Readonly<Record<Tool['type'], string>> = {
  custom_function: '',
  hang_up: 'Ends the call. Say goodbye before, or in the same answer.',
  wait: 'Says nothing and goes on listening: the caller asked for a moment.',
  transfer_call: 'Connects the caller with somebody else.',
  leave_voicemail_message: 'A machine answered: leaves the message after its beep and ends the call.',
  send_dtmf: 'Presses keys, for the menu of another machine.',
  pause_recording:
    'Stops the recording of the call, before the caller gives data that must not be kept, such as a card number.',
  resume_recording: 'Goes on with the recording of the call, once the caller has given these data.',
};

export interface ModelParameter {
  readonly name: string;
  readonly type: VariableType;
  readonly description: string;
}

const DTMF_DIGITS: ModelParameter = {
  name: 'digits',
  type: 'string',
  description: 'The keys, in order: 0-9, * and #; w waits half a second, a comma two seconds.',
};

/** The parameters that the model fills in. Parameters with values of variables are hidden from it. */
export function modelParameters(tool: Tool): readonly ModelParameter[] {
  if (tool.type === 'send_dtmf') return [DTMF_DIGITS];
  if (tool.type !== 'custom_function') return [];
  return tool.parameters.flatMap((parameter) => {
    if (!('value' in parameter)) return [parameter];
    return parameter.value.source === 'llm_parameter' ? [parameter.value.llm_parameter] : [];
  });
}

/**
 * Field names become own properties of a plain object, even `__proto__`.
 *
 * @param variables further fields, each null if the user has not stated it
 */
export function objectSchema(fields: readonly ModelParameter[], variables: readonly Variable[] = []): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries([
      ...fields.map((field) => [field.name, typeSchema(field.type, field.description)]),
      ...variables.map((variable) => [variable.name, variableSchema(variable)]),
    ]),
    required: [...fields, ...variables].map(({ name }) => name),
    additionalProperties: false,
  };
}

export function typeSchema(type: VariableType, description: string): JsonSchema {
  const described: { readonly [keyword: string]: JsonValue } = description === '' ? {} : { description };
  switch (type) {
    case 'date':
      return { type: 'string', format: 'date', ...described };
    case 'datetime':
      return { type: 'string', format: 'date-time', ...described };
    case 'string':
    case 'number':
    case 'integer':
    case 'boolean':
    case 'object':
      return { type, ...described };
    case 'array':
      return { type, items: {}, ...described };
  }
}

/** The result of an extraction: each variable, or null if the user has not stated it. */
export function extractionSchema(variables: readonly Variable[]): JsonSchema {
  return objectSchema([], variables);
}

function variableSchema(variable: Variable): JsonSchema {
  const description = [variable.description, variable.extraction_instructions ?? ''].filter(Boolean).join('\n');
  return { anyOf: [typeSchema(variable.type, description), { type: 'null' }] };
}
