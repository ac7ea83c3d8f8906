import type { AgentConfiguration, VariableType } from '../agent/agent.ts';
import type { JsonValue } from '../agent/json-value.ts';
import type { CallParameters } from '../core/call-parameters.ts';
import type { VariableValue } from '../core/state/variables-slice.ts';
import { coerce } from './coercion.ts';

/**
 * What is known before the first word: the dynamic values, those that are declared in their declared types, and the
 * built-in ones. A dynamic value that cannot be what it is declared as stays as it was given.
 */
export function initialVariables(
  agent: AgentConfiguration,
  parameters: CallParameters,
): ReadonlyMap<string, VariableValue> {
  const types = new Map<string, VariableType>(
    [...agent.states.flatMap((state) => state.variables), ...agent.variables].map(({ name, type }) => [name, type]),
  );
  const values = new Map<string, VariableValue>();
  const give = (name: string, value: JsonValue) => values.set(name, { value, atUs: 0 });
  for (const [name, value] of Object.entries(parameters.dynamicVariables)) {
    const type = types.get(name);
    give(name, type === undefined ? value : (coerce(value, type) ?? value));
  }
  if (parameters.fromNumber !== null) give('from_number', parameters.fromNumber);
  if (parameters.toNumber !== null) give('to_number', parameters.toNumber);
  give('call_id', parameters.callId);
  return values;
}
