import type { AgentConfiguration } from '../agent/agent-schema.ts';
import type { JsonValue } from '../agent/json-value.ts';
import type { VariableType } from '../agent/variable-schema.ts';
import type { CallParameters } from '../core/state/call-parameters.ts';
import type { VariableValue } from '../core/state/variables-slice.ts';
import { coerce } from './coercion.ts';

/**
 * The variables at the start of the call: the dynamic variables, converted to their declared types, and the built-in
 * ones. A dynamic value that cannot be converted stays as it is.
 */
export function initialVariables(
  agent: AgentConfiguration,
  parameters: CallParameters,
): ReadonlyMap<string, VariableValue> {
  const types = new Map<string, VariableType>(
    [...agent.states.flatMap((state) => state.variables), ...agent.variables].map(({ name, type }) => [name, type]),
  );
  const values = new Map<string, VariableValue>();
  const set = (name: string, value: JsonValue) => values.set(name, { value, atUs: 0 });
  for (const [name, value] of Object.entries(parameters.dynamicVariables)) {
    const type = types.get(name);
    set(name, type === undefined ? value : (coerce(value, type) ?? value));
  }
  if (parameters.fromNumber !== null) set('from_number', parameters.fromNumber);
  if (parameters.toNumber !== null) set('to_number', parameters.toNumber);
  set('call_id', parameters.callId);
  return values;
}
