/** A request that is not the recorded one: re-simulation has left the tape here. */
export interface RequestDifference {
  readonly kind: 'reply' | 'extraction' | 'segment' | 'tool' | 'search' | 'transfer';
  /** The request's place among those of its kind, from 0. */
  readonly nth: number;
  /** Where the first difference stands in the request (`messages.3.content`), or `end` past what was recorded. */
  readonly path: string;
  /** What stands there; undefined: nothing does. */
  readonly recorded: unknown;
  readonly asked: unknown;
}

export type OnDifference = (difference: RequestDifference) => void;

/** The first place where two plain values differ; undefined where they are the same. A key set to undefined is absent. */
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
