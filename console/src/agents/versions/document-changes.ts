/** A part of a document that two versions have different; texts as people read them. */
export interface DocumentChange {
  /** `states[greeting].prompt` */
  readonly path: string;
  /** null: the part is new. */
  readonly before: string | null;
  /** null: the part was removed. */
  readonly after: string | null;
  /** The same names in another order. */
  readonly isOrder?: boolean;
}

/** The differences between two documents, in the order of the later one. */
export function documentChanges(before: unknown, after: unknown, path = ''): readonly DocumentChange[] {
  if (before === undefined || after === undefined) {
    return before === after ? [] : [{ path, before: textOf(before), after: textOf(after) }];
  }
  const former = partsOf(before);
  const latter = partsOf(after);
  if (former === null || latter === null || former.isList !== latter.isList || former.isNamed !== latter.isNamed) {
    const change = { path, before: textOf(before), after: textOf(after) };
    return change.before === change.after ? [] : [change];
  }
  const names = [...latter.parts.keys(), ...[...former.parts.keys()].filter((name) => !latter.parts.has(name))];
  const inner = names.flatMap((name) =>
    documentChanges(former.parts.get(name), latter.parts.get(name), pathOf(path, name, latter.isList)),
  );
  return [...(latter.isNamed ? orderChange(path, former.parts, latter.parts) : []), ...inner];
}

interface Parts {
  readonly isList: boolean;
  /** The elements of the list are identified by their names. */
  readonly isNamed: boolean;
  readonly parts: ReadonlyMap<string, unknown>;
}

/** null: a value without parts. */
function partsOf(value: unknown): Parts | null {
  if (typeof value !== 'object' || value === null) return null;
  if (!Array.isArray(value)) return { isList: false, isNamed: false, parts: new Map(Object.entries(value)) };
  const names = value.map(nameOf);
  // An empty list is compatible with either kind.
  const isNamed = names.every((name) => name !== null) && new Set(names).size === names.length;
  return {
    isList: true,
    isNamed,
    parts: new Map(value.map((one, index) => [isNamed ? (names[index] ?? '') : String(index), one])),
  };
}

function nameOf(value: unknown): string | null {
  const name: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'name') : undefined;
  return typeof name === 'string' ? name : null;
}

function pathOf(path: string, name: string, isList: boolean): string {
  if (isList) return `${path}[${name}]`;
  return path === '' ? name : `${path}.${name}`;
}

function orderChange(
  path: string,
  former: ReadonlyMap<string, unknown>,
  latter: ReadonlyMap<string, unknown>,
): readonly DocumentChange[] {
  const before = [...former.keys()].filter((name) => latter.has(name)).join(', ');
  const after = [...latter.keys()].filter((name) => former.has(name)).join(', ');
  return before === after ? [] : [{ path, before, after, isOrder: true }];
}

function textOf(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
