import type { Variable } from '../../agent/variable-schema.ts';

/** Topic `variable-extraction`. */
export interface VariableExtractionSlice {
  readonly extraction: ExtractionState;
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

export const INITIAL_VARIABLE_EXTRACTION: VariableExtractionSlice = {
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
