/** A request that differs from the recorded one: from here on the re-simulation deviates from the tape. */
export interface RequestDifference {
  readonly kind: 'reply' | 'extraction' | 'segment' | 'tool' | 'search' | 'transfer';
  /** Index of the request among those of its kind. */
  readonly index: number;
  /** Path of the first difference (`messages.3.content`); `end`: the tape has no further request. */
  readonly path: string;
  /** The values at the path; undefined: no value. */
  readonly recorded: unknown;
  readonly actual: unknown;
}

export type OnDifference = (difference: RequestDifference) => void;

/** The first difference of two plain values; undefined if they are equal. A key with the value undefined counts as absent. */
export function firstDifference(
  recorded: unknown,
  actual: unknown,
  path = '',
): Pick<RequestDifference, 'path' | 'recorded' | 'actual'> | undefined {
  if (Object.is(recorded, actual)) return undefined;
  if (!isObject(recorded) || !isObject(actual) || Array.isArray(recorded) !== Array.isArray(actual)) {
    return { path, recorded, actual };
  }
  for (const key of new Set([...Object.keys(recorded), ...Object.keys(actual)])) {
    const found = firstDifference(recorded[key], actual[key], path === '' ? key : `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null;
}
