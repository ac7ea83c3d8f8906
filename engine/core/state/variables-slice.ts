import type { JsonValue } from '../../agent/json-value.ts';

/** Topic `variables`. */
export interface VariablesSlice {
  readonly variables: ReadonlyMap<string, VariableValue>;
  /** `variables_resolved` was reported. */
  readonly variablesResolved: boolean;
  /** Names without a value that texts have used: each is logged once. */
  readonly missingVariables: ReadonlySet<string>;
}

export interface VariableValue {
  readonly value: JsonValue;
  readonly atUs: number;
}

/** `variables`: those that are known before the first word. */
export function initialVariablesSlice(variables: ReadonlyMap<string, VariableValue>): VariablesSlice {
  return { variables, variablesResolved: false, missingVariables: new Set() };
}
