import { isDeepStrictEqual } from 'node:util';

/** The named parts of one kind that operations share. */
export class NamedParts<T> {
  readonly #kind: string;
  readonly #parts = new Map<string, T>();

  /** @param kind the key in `components` */
  constructor(kind: 'schemas' | 'responses' | 'parameters' | 'headers') {
    this.#kind = kind;
  }

  /** Adds a part and returns the reference to it. Throws if another part has the name. */
  add(name: string, part: T): { readonly $ref: string } {
    const known = this.#parts.get(name);
    if (known !== undefined && !isDeepStrictEqual(known, part)) {
      throw new Error(`two different ${this.#kind} of the OpenAPI document are named ${name}: rename one`);
    }
    this.#parts.set(name, part);
    return { $ref: `#/components/${this.#kind}/${name}` };
  }

  /** All parts, ordered by name. */
  record(): Record<string, T> {
    return Object.fromEntries([...this.#parts].sort(([a], [b]) => a.localeCompare(b)));
  }
}
