import { type DocumentPath, listAt, textAt, valueAt } from './document-edit.ts';

/** A name or value that the JSON schema allows at a place of a document. */
export interface Suggestion {
  /** The name of a field, or a text as a value. */
  readonly label: string;
  readonly description: string;
}

/** A reference to a schema: of an OpenAPI document, or of a JSON schema (`$defs`). */
const REFERENCE = /^#\/(components\/schemas|\$defs)\/(.+)$/;
/** Schemas within each other that are followed at most: references may be circular. */
const DEPTH_MAX = 20;

/** The fields that an object at a place may have beside those that it has. */
export function fieldsAt(api: unknown, root: unknown, document: unknown, path: DocumentPath): readonly Suggestion[] {
  const present = valueAt(document, path);
  const own = typeof present === 'object' && present !== null ? Object.keys(present) : [];
  const found = new Map<string, Suggestion>();
  for (const schema of schemasAt(api, root, document, path)) {
    for (const [label, field] of entriesOf(valueAt(schema, ['properties']))) {
      if (!own.includes(label)) found.set(label, { label, description: descriptionOf(api, field) });
    }
  }
  return [...found.values()];
}

/** The names of all fields that an object at a place may have. */
export function fieldNamesAt(api: unknown, root: unknown, document: unknown, path: DocumentPath): readonly string[] {
  const schemas = schemasAt(api, root, document, path);
  return [...new Set(schemas.flatMap((schema) => entriesOf(valueAt(schema, ['properties'])).map(([name]) => name)))];
}

/** The description of a field; empty if no schema knows it. */
export function descriptionAt(api: unknown, root: unknown, document: unknown, path: DocumentPath): string {
  const name = path.at(-1);
  if (typeof name !== 'string') return '';
  const fields = schemasAt(api, root, document, path.slice(0, -1)).map((owner) => valueAt(owner, ['properties', name]));
  return fields.map((field) => descriptionOf(api, field)).find((description) => description !== '') ?? '';
}

/** The texts that are allowed at a place, if its schema lists them. */
export function valuesAt(api: unknown, root: unknown, document: unknown, path: DocumentPath): readonly Suggestion[] {
  const values = schemasAt(api, root, document, path).flatMap((schema) => {
    const constant = valueAt(schema, ['const']);
    const listed = constant === undefined ? listAt(schema, ['enum']) : [constant];
    const texts = listed.filter((value) => typeof value === 'string');
    return texts.map((label) => ({ label, description: descriptionOf(api, schema) }));
  });
  return [...new Map(values.map((one) => [one.label, one])).values()];
}

/** The schemas that hold at a place; several where alternatives fit. */
function schemasAt(api: unknown, root: unknown, document: unknown, path: DocumentPath): readonly unknown[] {
  return path.reduce<readonly unknown[]>(
    (schemas, step, at) => {
      const inner = schemas.flatMap((schema) => {
        const field = valueAt(schema, typeof step === 'number' ? ['items'] : ['properties', step]);
        return field === undefined ? [] : [field];
      });
      return inner.flatMap((schema) => alternatives(api, schema, valueAt(document, path.slice(0, at + 1)), 0));
    },
    alternatives(api, root, document, 0),
  );
}

/** Follows references, and keeps of several alternatives those whose constants the value does not contradict. */
function alternatives(api: unknown, schema: unknown, value: unknown, depth: number): readonly unknown[] {
  if (depth > DEPTH_MAX) return [];
  const [, list, name] = REFERENCE.exec(textAt(schema, ['$ref'])) ?? [];
  if (list !== undefined && name !== undefined) {
    return alternatives(api, valueAt(api, [...list.split('/'), name]), value, depth + 1);
  }
  const choices = [...listAt(schema, ['oneOf']), ...listAt(schema, ['anyOf']), ...listAt(schema, ['allOf'])];
  if (choices.length === 0) return [schema];
  const all = choices.flatMap((choice) => alternatives(api, choice, value, depth + 1));
  const fitting = all.filter((choice) => fits(choice, value));
  return fitting.length === 0 ? all : fitting;
}

function fits(schema: unknown, value: unknown): boolean {
  return entriesOf(valueAt(schema, ['properties'])).every(([name, field]) => {
    const constant = valueAt(field, ['const']);
    const given = valueAt(value, [name]);
    return constant === undefined || given === undefined || given === constant;
  });
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function descriptionOf(api: unknown, schema: unknown): string {
  const own = textAt(schema, ['description']);
  if (own !== '' || textAt(schema, ['$ref']) === '') return own;
  return textAt(alternatives(api, schema, undefined, 0)[0], ['description']);
}
