import parseJsonPath from 'jsonpath-rfc9535/parser';
import { endsWithQuestion } from '../languages/question-mark.ts';
import type { AgentConfiguration } from './agent-schema.ts';
import { normalisedDestination } from './destination-syntax.ts';
import type { GraphNote } from './graph-note.ts';
import type { AgentState } from './state-schema.ts';
import { PLACEHOLDER, parseTemplate } from './templates.ts';
import type { Tool } from './tool-schema.ts';
import { variableFaults } from './variable-check.ts';
import { BUILT_IN_VARIABLES } from './variable-schema.ts';

export interface GraphCheck {
  /** Errors: the agent is refused. */
  readonly faults: readonly GraphNote[];
  /** Likely mistakes: the agent is stored. */
  readonly warnings: readonly GraphNote[];
}

/** Regular expression functions of RFC 9535. On a hostile response they may run forever. */
const REFUSED_FUNCTIONS = ['match', 'search'] as const;

/** Checks references between the parts of an agent, which the schema cannot express. */
export function checkGraph(agent: AgentConfiguration): GraphCheck {
  const faults: GraphNote[] = [];
  const warnings: GraphNote[] = [];
  checkStates(agent, faults, warnings);
  const { on_provider_failure: failure } = agent;
  if (failure?.action === 'transfer' && failure.destination === undefined) {
    faults.push({ path: 'on_provider_failure.destination', message: 'required for the action transfer' });
  }
  const known = knownNames(agent);
  for (const { path, text, isUrl } of templatesOf(agent)) {
    const { paths, fault } = parseTemplate(text);
    if (fault !== null) faults.push({ path, message: fault });
    if (isUrl) checkUrl(path, text, faults);
    const tools = toolNames(agent, path);
    const unknown = paths.filter((name) => !known.has(name.split('.')[0] ?? '') && !tools.has(name));
    for (const name of new Set(unknown)) {
      warnings.push({ path, message: `{{${name}}} is not a tool, a declared variable or a built-in variable` });
    }
  }
  faults.push(...variableFaults(agent));
  checkMappings(agent, known, faults, warnings);
  checkParameterVariables(agent, known, warnings);
  checkDestinations(agent, faults, warnings);
  checkTexts(agent, warnings);
  checkRefusal(agent, warnings);
  return { faults, warnings };
}

function checkStates(agent: AgentConfiguration, faults: GraphNote[], warnings: GraphNote[]): void {
  const names = agent.states.map((state) => state.name);
  const reachable = reachableStates(agent);
  if (!names.includes(agent.initial_state_name)) {
    faults.push({ path: 'initial_state_name', message: 'no state has this name' });
  }
  for (const [index, state] of agent.states.entries()) {
    const path = `states[${index}]`;
    if (names.indexOf(state.name) < index)
      faults.push({ path: `${path}.name`, message: 'another state has this name' });
    else if (!reachable.has(state.name)) warnings.push({ path, message: 'no transition leads to this state' });
    for (const [number, { destination_state_name }] of state.transitions.entries()) {
      if (names.includes(destination_state_name)) continue;
      const at = `${path}.transitions[${number}].destination_state_name`;
      faults.push({ path: at, message: 'no state has this name' });
    }
    checkToolNames(state, path, faults);
    if (state.transitions.length === 0 && !state.tools.some(endsCall)) {
      warnings.push({ path, message: 'the state has no transition and no tool that ends or transfers the call' });
    }
  }
}

function checkToolNames(state: AgentState, path: string, faults: GraphNote[]): void {
  const names = state.tools.map((tool) => tool.name);
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) >= index) continue;
    faults.push({ path: `${path}.tools[${index}].name`, message: 'another tool of this state has this name' });
  }
}

function endsCall(tool: Tool): boolean {
  return tool.type === 'hang_up' || tool.type === 'transfer_call' || tool.type === 'leave_voicemail_message';
}

function reachableStates({ states, initial_state_name }: AgentConfiguration): ReadonlySet<string> {
  const reached = new Set([initial_state_name]);
  // Iterating a set also visits members that are added during the iteration.
  for (const name of reached) {
    const state = states.find((candidate) => candidate.name === name);
    for (const transition of state?.transitions ?? []) reached.add(transition.destination_state_name);
  }
  return reached;
}

function knownNames(agent: AgentConfiguration): ReadonlySet<string> {
  const declared = [...BUILT_IN_VARIABLES, ...agent.variables, ...agent.states.flatMap((state) => state.variables)];
  return new Set(declared.map((variable) => variable.name));
}

/** The base prompt may refer to tools of all states, the texts of a state only to its own tools. */
function toolNames(agent: AgentConfiguration, path: string): ReadonlySet<string> {
  const index = /^states\[(\d+)\]/.exec(path)?.[1];
  const states = index === undefined ? agent.states : agent.states.slice(Number(index), Number(index) + 1);
  return new Set(states.flatMap((state) => state.tools.map((tool) => tool.name)));
}

interface TemplateField {
  readonly path: string;
  readonly text: string;
  readonly isUrl?: boolean;
}

function templatesOf(agent: AgentConfiguration): readonly TemplateField[] {
  return [
    { path: 'initial_message', text: agent.initial_message },
    { path: 'recording_consent.announcement', text: agent.recording_consent?.announcement ?? '' },
    { path: 'base_prompt', text: agent.base_prompt },
    ...agent.presence_check_phrases.map((text, index) => ({ path: `presence_check_phrases[${index}]`, text })),
    { path: 'on_provider_failure.message', text: agent.on_provider_failure?.message ?? '' },
    { path: 'on_provider_failure.destination', text: agent.on_provider_failure?.destination ?? '' },
    ...agent.states.flatMap((state, index) => stateTemplates(state, `states[${index}]`)),
  ];
}

function stateTemplates(state: AgentState, path: string): readonly TemplateField[] {
  return [
    { path: `${path}.prompt`, text: state.prompt },
    ...state.transitions.map(({ filler_sentence = '' }, index) => ({
      path: `${path}.transitions[${index}].filler_sentence`,
      text: filler_sentence,
    })),
    ...state.tools.flatMap((tool, index) => toolTemplates(tool, `${path}.tools[${index}]`)),
  ];
}

function toolTemplates(tool: Tool, path: string): readonly TemplateField[] {
  const filler = { path: `${path}.filler_sentence`, text: tool.filler_sentence ?? '' };
  if (tool.type === 'custom_function') {
    const headers = tool.headers.map(({ value, secret }, index) => ({
      path: `${path}.headers[${index}].value`,
      text: secret ? '' : value,
    }));
    return [filler, { path: `${path}.url`, text: tool.url, isUrl: true }, ...headers];
  }
  if (tool.type !== 'transfer_call') return [filler];
  const headers = Object.entries(tool.headers).map(([name, text]) => ({ path: `${path}.headers.${name}`, text }));
  return [filler, { path: `${path}.destination`, text: tool.destination }, ...headers];
}

/** Scheme, host and port must be constant: a value from the conversation must not choose the target of a request. */
function checkUrl(path: string, text: string, faults: GraphNote[]): void {
  const origin = /^https?:\/\/[^/?#]*/i.exec(text)?.[0];
  if (origin === undefined) {
    faults.push({ path, message: 'expected an http or https URL' });
    return;
  }
  // The URL parser drops tabs and line ends. With one of them inside, a forbidden part would not match the checks below.
  if (/[\s\p{Cc}]/u.test(text.replace(PLACEHOLDER, '')))
    faults.push({ path, message: 'expected a URL without white space' });
  if (/[{}]/.test(origin)) faults.push({ path, message: 'expected no {{variables}} in scheme, host and port' });
  else if (!URL.canParse(origin)) faults.push({ path, message: 'expected a valid URL' });
  else if (origin.includes('@'))
    faults.push({ path, message: 'expected a URL without user and password: send them in a header' });
  const segments = (text.split(/[?#]/, 1)[0] ?? '').split(/[/\\]/).slice(3);
  if (segments.some((segment) => /^(\.|%2e){1,2}$/i.test(segment))) {
    faults.push({ path, message: 'expected a path without . and .. segments' });
  }
  if (/#.*\{\{/.test(text)) faults.push({ path, message: 'expected {{variables}} in path segments and query only' });
}

function checkMappings(
  agent: AgentConfiguration,
  known: ReadonlySet<string>,
  faults: GraphNote[],
  warnings: GraphNote[],
): void {
  for (const [index, state] of agent.states.entries()) {
    for (const [number, tool] of state.tools.entries()) {
      if (tool.type !== 'custom_function') continue;
      for (const [at, mapping] of tool.response_mapping.entries()) {
        const path = `states[${index}].tools[${number}].response_mapping[${at}]`;
        const fault = jsonPathFault(mapping.json_path_to_data);
        if (fault !== null) faults.push({ path: `${path}.json_path_to_data`, message: fault });
        if (known.has(mapping.destination_variable)) continue;
        warnings.push({ path: `${path}.destination_variable`, message: 'no declared variable has this name' });
      }
    }
  }
}

/** Only warns: the variable may be a dynamic variable of the call, which the agent does not declare. */
function checkParameterVariables(agent: AgentConfiguration, known: ReadonlySet<string>, warnings: GraphNote[]): void {
  for (const [index, state] of agent.states.entries()) {
    for (const [number, tool] of state.tools.entries()) {
      if (tool.type !== 'custom_function') continue;
      for (const [at, parameter] of tool.parameters.entries()) {
        if (!('value' in parameter) || parameter.value.source !== 'variable') continue;
        const { variable } = parameter.value;
        if (known.has(variable) || known.has(variable.split('.')[0] ?? '')) continue;
        const path = `states[${index}].tools[${number}].parameters[${at}].value.variable`;
        warnings.push({ path, message: `«${variable}» is not a declared or built-in variable` });
      }
    }
  }
}

/** By mode of the transfer. */
const EXPECTED_DESTINATION = {
  refer: 'expected an E.164 number (+ and 7 to 15 digits), `tel:`, `sip:` or `sips:` URI',
  bridge: 'expected an E.164 number (+ and 7 to 15 digits), `tel:` or `sip:` URI',
};

/** A destination with variables can only be checked when it is dialled. */
function checkDestinations(agent: AgentConfiguration, faults: GraphNote[], warnings: GraphNote[]): void {
  const check = (path: string, destination: string, mode: 'refer' | 'bridge'): void => {
    const normalised = normalisedDestination(destination);
    // A bridge has no encrypted second leg.
    if (normalised === null || (mode === 'bridge' && normalised.startsWith('sips:')))
      faults.push({ path, message: EXPECTED_DESTINATION[mode] });
  };
  const checkConstant = (path: string, destination: string, mode: 'refer' | 'bridge'): void => {
    const { paths, fault } = parseTemplate(destination);
    if (paths.length === 0 && fault === null) check(path, destination, mode);
  };
  const { on_provider_failure: failure } = agent;
  if (failure?.destination !== undefined)
    checkConstant('on_provider_failure.destination', failure.destination, 'refer');
  for (const [index, state] of agent.states.entries()) {
    for (const [number, tool] of state.tools.entries()) {
      if (tool.type !== 'transfer_call') continue;
      const path = `states[${index}].tools[${number}]`;
      checkConstant(`${path}.destination`, tool.destination, tool.mode);
      const setInCall = variablesOfCall(agent, parseTemplate(tool.destination).paths);
      if (tool.allowed_destinations.length === 0 && setInCall.length > 0) {
        const names = setInCall.map((name) => `{{${name}}}`).join(', ');
        warnings.push({
          path: `${path}.allowed_destinations`,
          message: `empty: the transfer is refused if ${names} is set during the call`,
        });
      }
      for (const [at, allowed] of tool.allowed_destinations.entries()) {
        check(`${path}.allowed_destinations[${at}]`, allowed, tool.mode);
      }
    }
  }
}

/** Tool texts that probably do not have the intended effect. */
function checkTexts(agent: AgentConfiguration, warnings: GraphNote[]): void {
  for (const [index, state] of agent.states.entries()) {
    for (const [number, tool] of state.tools.entries()) {
      const path = `states[${index}].tools[${number}]`;
      if (tool.type === 'leave_voicemail_message' && (tool.filler_sentence ?? '') === '') {
        const message = 'empty: the model will invent the voicemail message';
        warnings.push({ path: `${path}.filler_sentence`, message });
      }
      if (tool.type !== 'custom_function') continue;
      for (const [at, { value, secret }] of tool.headers.entries()) {
        if (!secret || !value.includes('{{')) continue;
        const message = 'a secret header is sent literally: its {{variables}} are not replaced';
        warnings.push({ path: `${path}.headers[${at}].value`, message });
      }
    }
  }
}

/** After an announcement such as «say no if you do not want that», the greeting must not ask for the next «no». */
function checkRefusal({ initial_message, recording_consent }: AgentConfiguration, warnings: GraphNote[]): void {
  if (recording_consent?.spoken_refusal !== true || !endsWithQuestion(initial_message)) return;
  const message = 'ends with a question: a mere «no» answers it, and does not refuse the recording';
  warnings.push({ path: 'initial_message', message });
}

/** The names of declared variables among the paths: their values may be set during the call. */
function variablesOfCall(agent: AgentConfiguration, paths: readonly string[]): readonly string[] {
  const builtIn = new Set(BUILT_IN_VARIABLES.map(({ name }) => name));
  const known = knownNames(agent);
  return paths.filter((path) => {
    const name = path.split('.')[0] ?? '';
    return known.has(name) && !builtIn.has(name);
  });
}

/** The fault of a JSONPath (RFC 9535). null: valid. */
export function jsonPathFault(path: string): string | null {
  try {
    const called = calledFunctions(parseJsonPath(path));
    const refused = REFUSED_FUNCTIONS.find((name) => called.includes(name));
    return refused === undefined ? null : `the function ${refused}() is not supported`;
  } catch (cause) {
    return `expected a JSONPath: ${cause instanceof Error ? cause.message : String(cause)}`;
  }
}

/** Names of all functions in the parsed path. */
function calledFunctions(node: unknown): readonly string[] {
  if (node === null || typeof node !== 'object') return [];
  const name = 'type' in node && node.type === 'FunctionExpr' && 'name' in node ? [String(node.name)] : [];
  return [...name, ...Object.values(node).flatMap(calledFunctions)];
}
