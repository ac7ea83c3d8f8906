import type { JsonValue } from '../agent/json-value.ts';
import { fillTemplate, missingIn, type ValuePlace, type VariableLookup, valueAt } from '../agent/templates.ts';
import { BUILT_IN_VARIABLES, type Variable, type VariableType } from '../agent/variable-schema.ts';
import type { CallContext } from '../core/context.ts';
import { type RuleStep, stateOf } from '../core/rule-step.ts';
import { splitSentences } from '../languages/sentence-splitter.ts';
import { coerce } from './coercion.ts';
import { promptValue, quotedText } from './prompt-value.ts';
import { spokenValue } from './spoken-values.ts';

/** The lookbehind keeps the search linear: a value may consist of blanks. */
const BLANKS_BEFORE_MARK = /(?<!\s)\s+(?=[,.;:!?])/g;

/** The variables that apply now: the agent's and the current state's. If both declare a name, the state's applies. */
export function applyingVariables(context: CallContext): readonly Variable[] {
  const byName = new Map<string, Variable>();
  for (const variable of [...context.agent.variables, ...stateOf(context).variables])
    byName.set(variable.name, variable);
  return [...byName.values()];
}

/** Looks up a variable by its name or a path into its value. A tool name of the current state resolves to itself. */
export function variableLookup(context: CallContext): VariableLookup {
  return (path) => {
    const value = variableAtPath((name) => context.variables.get(name)?.value, path);
    if (value !== undefined) return value;
    return stateOf(context).tools.some((tool) => tool.name === path) ? path : undefined;
  };
}

/** The value of the variable with this whole name, dots included; otherwise the value at the path inside a variable. */
export function variableAtPath(variable: (name: string) => JsonValue | undefined, path: string): JsonValue | undefined {
  const whole = variable(path);
  if (whole !== undefined) return whole;
  const [name = '', ...keys] = path.split('.');
  return valueAt(variable(name), keys);
}

/** A text of the agent with its variables filled in. A variable without a value becomes an empty text and is logged. */
export function fillVariables(step: RuleStep, template: string): string {
  return withMissingLogged(step, fillTemplate(template, variableLookup(step.context)));
}

/**
 * Like `fillVariables`, for a text of a prompt: values appear as data, and sentences that lack a value are left out, unless
 * nothing would be left to instruct the model. A text at the start of a line is quoted too, because alone in its line it
 * reads like an instruction.
 */
export function fillVariablesForPrompt(step: RuleStep, template: string): string {
  if (!template.includes('{{')) return template.trim();
  const data = (value: JsonValue, { isLeading }: ValuePlace) =>
    isLeading && typeof value === 'string' && value !== '' ? quotedText(value) : promptValue(value);
  const rows = template.split('\n').flatMap((row) => {
    const kept = withoutHoles(step, row);
    return kept === row || /\p{L}/u.test(kept) ? [kept] : [];
  });
  const lookup = variableLookup(step.context);
  const isEmpty = /\p{L}/u.test(template) && !/\p{L}/u.test(rows.join(''));
  const marked = (path: string) => lookup(path) ?? `(not known yet: ${path})`;
  return withMissingLogged(
    step,
    isEmpty ? fillTemplate(template, marked, data) : fillTemplate(rows.join('\n'), lookup, data),
  );
}

/**
 * Like `fillVariables`, for a spoken text: dates are spoken in the call's language, and sentences that lack a value are left
 * out.
 *
 * @param keepsHoles an empty text takes the place of a missing value
 */
export function fillVariablesForSpeech(step: RuleStep, template: string, keepsHoles = false): string {
  const { context } = step;
  const spoken = (value: JsonValue, { path }: ValuePlace) =>
    spokenValue(value, declaredType(context, path), context.agent.language);
  const kept = keepsHoles ? template : withoutHoles(step, template);
  const filled = fillTemplate(kept, variableLookup(context), spoken);
  const text = withMissingLogged(step, filled);
  return filled.missing.length === 0 ? text : text.replace(BLANKS_BEFORE_MARK, '');
}

/** The template without the sentences that name a variable without a value; unchanged if there are none. */
function withoutHoles(step: RuleStep, template: string): string {
  const lookup = variableLookup(step.context);
  const missing = missingIn(template, lookup);
  if (missing.length === 0) return template;
  logMissing(step, missing);
  const sentences = splitSentences(template, step.context.agent.language);
  const kept = sentences.filter((sentence) => missingIn(sentence, lookup).length === 0);
  return `${/^\s*/.exec(template)?.[0] ?? ''}${kept.join(' ')}`;
}

function withMissingLogged(step: RuleStep, { text, missing }: ReturnType<typeof fillTemplate>): string {
  logMissing(step, missing);
  return text.trim();
}

/** A name is logged once per call: prompts are filled for every request. */
function logMissing(step: RuleStep, missing: readonly string[]): void {
  const { missingVariables } = step.context;
  const first = [...new Set(missing)].filter((name) => !missingVariables.has(name));
  if (first.length === 0) return;
  step.change({ missingVariables: new Set([...missingVariables, ...first]) });
  for (const name of first) step.log({ type: 'variable_missing', variable: name, usedIn: 'text', tool: null });
}

/**
 * Sets a variable, converted to its declared type; a value that cannot be converted is ignored. Journals changes only.
 */
export function setVariable(step: RuleStep, name: string, value: JsonValue, type: VariableType | null): void {
  const declared = type ?? declaredType(step.context, name);
  const typed = declared === null ? value : coerce(value, declared);
  if (typed === undefined) return;
  const before = step.context.variables.get(name);
  if (before !== undefined && JSON.stringify(before.value) === JSON.stringify(typed)) return;
  const variables = new Map(step.context.variables).set(name, { value: typed, atUs: step.nowUs });
  step.change({ variables });
  const variableType = declared ?? variableTypeOf(typed);
  step.command({
    type: 'journal.write',
    entry: { type: 'variable', name, variableType, value: typed, atUs: step.nowUs },
  });
  reportResolved(step);
}

/**
 * Sets a variable to the matches of a path in a tool's response. One match arrives without a list, no match as an empty
 * list. An array variable gets its list back; a variable of another type ignores the empty list.
 */
export function setMappedVariable(step: RuleStep, name: string, value: JsonValue): void {
  const type = declaredType(step.context, name);
  if (type === 'array') setVariable(step, name, value === null || Array.isArray(value) ? value : [value], type);
  else if (!Array.isArray(value) || value.length > 0) setVariable(step, name, value, type);
}

/** Journals the variables that are known at the start of the call. */
export function journalInitialVariables(step: RuleStep): void {
  for (const [name, { value, atUs }] of step.context.variables) {
    const variableType = declaredType(step.context, name) ?? variableTypeOf(value);
    step.command({
      type: 'journal.write',
      entry: { type: 'variable', name, variableType, value, initial: true, atUs },
    });
  }
}

/** The type of a variable of the agent, of any of its states, or a built-in one; null if the name is not declared. */
export function declaredType(context: CallContext, name: string): VariableType | null {
  const declared = [
    ...stateOf(context).variables,
    ...context.agent.variables,
    ...context.agent.states.flatMap((state) => state.variables),
    ...BUILT_IN_VARIABLES,
  ];
  return declared.find((variable) => variable.name === name)?.type ?? null;
}

export function variableTypeOf(value: JsonValue): VariableType {
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'number':
      return Number.isInteger(value) ? 'integer' : 'number';
    case 'boolean':
      return 'boolean';
    case 'object':
      return 'object';
    default:
      return 'string';
  }
}

/** Reports once per call that every declared variable of the agent and of all its states has a value. */
function reportResolved(step: RuleStep): void {
  if (step.context.variablesResolved) return;
  const { agent, variables } = step.context;
  const declared = [...agent.variables, ...agent.states.flatMap((state) => state.variables)];
  if (declared.length === 0 || declared.some((variable) => !variables.has(variable.name))) return;
  step.change({ variablesResolved: true });
  step.command({ type: 'journal.write', entry: { type: 'variables_resolved', atUs: step.nowUs } });
}
