/** A place in a document: names of fields and indices of lists. */
export type DocumentPath = readonly (string | number)[];

/** The value at a place; undefined: none. */
export function valueAt(document: unknown, path: DocumentPath): unknown {
  return path.reduce<unknown>(
    (value, step) => (typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined),
    document,
  );
}

/** The list at a place; empty if there is none. */
export function listAt(document: unknown, path: DocumentPath): readonly unknown[] {
  const value = valueAt(document, path);
  return Array.isArray(value) ? value : [];
}

/** The text at a place; empty if there is none. */
export function textAt(document: unknown, path: DocumentPath): string {
  const value = valueAt(document, path);
  return typeof value === 'string' ? value : '';
}

/** The document with another value at a place. undefined removes the field, or the element of a list. */
export function withValue(document: unknown, [step, ...rest]: DocumentPath, value: unknown): unknown {
  if (step === undefined) return value;
  const inner = withValue(valueAt(document, [step]), rest, value);
  if (typeof step === 'number') {
    const list = Array.isArray(document) ? [...document] : [];
    if (inner === undefined) list.splice(step, 1);
    else list[step] = inner;
    return list;
  }
  const fields: Record<string, unknown> = typeof document === 'object' && document !== null ? { ...document } : {};
  if (inner === undefined) delete fields[step];
  else fields[step] = inner;
  return fields;
}

/** The document with one more element at the end of a list. */
export function withElement(document: unknown, path: DocumentPath, element: unknown): unknown {
  return withValue(document, path, [...listAt(document, path), element]);
}

/** A name that none of the elements has: `state`, `state_2`, `state_3`. */
export function freeName(wanted: string, elements: readonly unknown[]): string {
  const names = new Set(elements.map((element) => textAt(element, ['name'])));
  for (let count = 1; ; count++) {
    const name = count === 1 ? wanted : `${wanted}_${count}`;
    if (!names.has(name)) return name;
  }
}
