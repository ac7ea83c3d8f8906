import type { JsonValue } from '../agent/json-value.ts';
import { fillTemplate, fillUrlTemplate } from '../agent/templates.ts';
import type { CustomFunction } from '../agent/tool-schema.ts';
import type { RuleStep } from '../core/rule-step.ts';
import type { ToolRun } from '../ports/tool-runner.ts';
import { coerce, parseJson } from '../variables/coercion.ts';
import { variableAtPath, variableLookup } from '../variables/variables.ts';
import type { ModelParameter } from './model-functions.ts';

/** Length of a wrong value in the fault text, in characters. */
const VALUE_CHARACTERS_MAX = 100;

/** Converts the model's arguments to their declared types. `fault`: text for the model. */
export function parseToolArguments(
  text: string,
  parameters: readonly ModelParameter[],
): { readonly values: ReadonlyMap<string, JsonValue>; readonly fault: string | null } {
  const given = text.trim() === '' ? {} : parseJson(text);
  if (given === null || typeof given !== 'object' || Array.isArray(given)) {
    return { values: new Map(), fault: 'The arguments were not a JSON object.' };
  }
  const byName = new Map(objectEntries(given));
  const values = new Map<string, JsonValue>();
  const faults: string[] = [];
  for (const { name, type } of parameters) {
    const asGiven = byName.get(name) ?? '';
    const value = coerce(asGiven, type);
    if (value !== undefined) values.set(name, value);
    else if (asGiven === '') faults.push(`«${name}» must be given, as ${type}`);
    else
      faults.push(
        `«${name}» must be of type ${type}, and is ${JSON.stringify(asGiven).slice(0, VALUE_CHARACTERS_MAX)}`,
      );
  }
  return { values, fault: faults.length === 0 ? null : `${faults.join('; ')}.` };
}

export function objectEntries(value: JsonValue): readonly (readonly [string, JsonValue])[] {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? Object.entries(value) : [];
}

/** The HTTP request of a custom function. `fault`: text for the model. */
export function buildToolRun(
  step: RuleStep,
  tool: CustomFunction,
  given: ReadonlyMap<string, JsonValue>,
): { readonly run: ToolRun } | { readonly fault: string } {
  const lookup = variableLookup(step.context);
  const { url, missing } = fillUrlTemplate(tool.url, lookup);
  for (const variable of missing) {
    step.log({ type: 'variable_missing', variable, usedIn: 'tool_url', tool: tool.name });
  }
  if (url === null) return { fault: 'Its address cannot be built from these values.' };
  const headers = tool.headers.map(({ name, value, secret }) => [
    name,
    secret ? value : headerText(fillTemplate(value, lookup).text),
  ]);
  return {
    run: {
      tool,
      values: Object.fromEntries(parameterValues(step, tool, given)),
      url,
      headers: Object.fromEntries(headers),
    },
  };
}

/** Removes control characters, so that no variable value can end the header line. */
export function headerText(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').trim();
}

/** A parameter whose variable has no value is left out. */
function parameterValues(
  step: RuleStep,
  tool: CustomFunction,
  given: ReadonlyMap<string, JsonValue>,
): readonly (readonly [string, JsonValue])[] {
  return tool.parameters.flatMap((parameter) => {
    const value = 'value' in parameter ? sourceValue(step, parameter.value, given) : given.get(parameter.name);
    return value === undefined ? [] : [[parameter.name, value] as const];
  });
}

type Source = Extract<CustomFunction['parameters'][number], { readonly value: unknown }>['value'];

function sourceValue(step: RuleStep, source: Source, given: ReadonlyMap<string, JsonValue>): JsonValue | undefined {
  if (source.source === 'llm_parameter') return given.get(source.llm_parameter.name);
  return variableAtPath((name) => step.context.variables.get(name)?.value, source.variable);
}
