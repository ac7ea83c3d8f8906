/** Path of the field and what is wrong with it. */
export interface UnstorableText {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

const MESSAGE = 'expected text without U+0000 and without lone surrogates, which the database cannot store';

/** Strings and names in a JSON document that the database cannot store. Its nesting must be bounded. */
export function unstorableTexts(input: unknown, path: readonly PropertyKey[] = []): UnstorableText[] {
  if (typeof input === 'string') return isStorable(input) ? [] : [{ path, message: MESSAGE }];
  if (typeof input !== 'object' || input === null) return [];
  if (Array.isArray(input)) return input.flatMap((value, index) => unstorableTexts(value, [...path, index]));
  return Object.entries(input).flatMap(([name, value]) =>
    isStorable(name) ? unstorableTexts(value, [...path, name]) : [{ path: [...path, name], message: MESSAGE }],
  );
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
