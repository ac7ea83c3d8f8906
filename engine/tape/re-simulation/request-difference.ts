/** A request that differs from the recorded one: from here on the re-simulation deviates from the tape. */
export interface RequestDifference {
  readonly kind: 'reply' | 'extraction' | 'segment' | 'tool' | 'search' | 'transfer';
  /** Index of the request among those of its kind. */
  readonly nth: number;
  /** Path of the first difference (`messages.3.content`); `end`: the tape has no further request. */
  readonly path: string;
  /** The values at the path; undefined: no value. */
  readonly recorded: unknown;
  readonly asked: unknown;
}

export type OnDifference = (difference: RequestDifference) => void;

/** The first difference of two plain values; undefined if they are equal. A key with the value undefined counts as absent. */
export function firstDifference(
  recorded: unknown,
  asked: unknown,
  path = '',
): Pick<RequestDifference, 'path' | 'recorded' | 'asked'> | undefined {
  if (Object.is(recorded, asked)) return undefined;
  if (!isObject(recorded) || !isObject(asked) || Array.isArray(recorded) !== Array.isArray(asked)) {
    return { path, recorded, asked };
  }
  for (const key of new Set([...Object.keys(recorded), ...Object.keys(asked)])) {
    const found = firstDifference(recorded[key], asked[key], path === '' ? key : `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null;
}
