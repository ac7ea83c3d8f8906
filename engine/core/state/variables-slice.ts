import type { JsonValue } from '../../agent/json-value.ts';
import type { Variable } from '../../agent/variable-schema.ts';

/** Topics `variables` and `variable-extraction`. */
export interface VariablesSlice {
  readonly variables: ReadonlyMap<string, VariableValue>;
  /** `variables_resolved` was reported. */
  readonly variablesResolved: boolean;
  /** Names without a value that texts have used: each is logged once. */
  readonly missingVariables: ReadonlySet<string>;
  readonly extraction: ExtractionState;
}

export interface VariableValue {
  readonly value: JsonValue;
  readonly atUs: number;
}

export interface ExtractionState {
  readonly running: number | null;
  /** The variables of the running request, and its time: state and values may have changed since. */
  readonly requestedVariables: readonly Variable[];
  readonly requestedUs: number;
  /** The last history item that the request covers. */
  readonly requestedThrough: number;
  /** Keys of the models that this extraction has tried. */
  readonly models: readonly string[];
  /** The user has said more since the request. */
  readonly stale: boolean;
  /** The last history item that a completed extraction has covered, and its variables. */
  readonly readThrough: number;
  readonly read: ReadonlySet<string>;
}

/** `variables`: those that are known before the first word. */
export function initialVariablesSlice(variables: ReadonlyMap<string, VariableValue>): VariablesSlice {
  return {
    variables,
    variablesResolved: false,
    missingVariables: new Set(),
    extraction: {
      running: null,
      requestedVariables: [],
      requestedUs: 0,
      requestedThrough: 0,
      models: [],
      stale: false,
      readThrough: 0,
      read: new Set(),
    },
  };
}
