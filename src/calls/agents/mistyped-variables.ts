import type { AgentConfiguration } from '../../../engine/agent/agent-schema.ts';
import type { JsonValue } from '../../../engine/agent/json-value.ts';
import type { VariableType } from '../../../engine/agent/variable-schema.ts';
import { coerce } from '../../../engine/variables/coercion.ts';

/** `Date.parse` also reads texts such as `foo 5`. */
const ISO_DATE = /^\d{4}-\d{2}-\d{2}/;

export interface MistypedVariable {
  readonly name: string;
  /** The type that the agent declares. */
  readonly type: VariableType;
}

/** The dynamic values that cannot be converted to the types that the agent declares. Null and empty text are no value. */
export function mistypedVariables(
  { states, variables }: Pick<AgentConfiguration, 'states' | 'variables'>,
  values: Readonly<Record<string, JsonValue>>,
): readonly MistypedVariable[] {
  const declared = [...states.flatMap((state) => state.variables), ...variables];
  const types = new Map(declared.map(({ name, type }) => [name, type]));
  return Object.entries(values).flatMap(([name, value]) => {
    const type = types.get(name);
    return type === undefined || value === null || value === '' || isOfType(value, type) ? [] : [{ name, type }];
  });
}

function isOfType(value: JsonValue, type: VariableType): boolean {
  if (type === 'datetime' && !(typeof value === 'string' && ISO_DATE.test(value))) return false;
  return coerce(value, type) !== undefined;
}
