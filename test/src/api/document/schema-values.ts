import fc from 'fast-check';
import type { Schema, Schemas } from './served-document.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Characters of generated text. Short, so that testing every operation takes seconds. */
const TEXT_LENGTH_MAX = 40;
const ITEMS_MAX = 3;
const NUMBER_MAX = 1e9;

const anyJson = fc.jsonValue({ maxDepth: 1 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);

/** Generates values that a schema of the document allows. */
export function valuesOf(schemas: Schemas, reference: Schema): fc.Arbitrary<Json> {
  const schema = schemas.resolved(reference);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => valuesOf(schemas, choice)));
  if (schema.const !== undefined) return fc.constant(schema.const as Json);
  if (schema.enum !== undefined) return fc.constantFrom(...(schema.enum as Json[]));
  if (Array.isArray(schema.type)) {
    return fc.oneof(...schema.type.map((type) => valuesOf(schemas, { ...schema, type })));
  }
  switch (schema.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({
        min: schema.minimum ?? -NUMBER_MAX,
        max: Math.min(schema.maximum ?? NUMBER_MAX, NUMBER_MAX),
      });
    case 'number':
      return fc
        .double({ min: schema.minimum ?? -NUMBER_MAX, max: schema.maximum ?? NUMBER_MAX, noNaN: true })
        .map((value) => (value === 0 ? 0 : value));
    case 'string':
      return textsOf(schema);
    case 'array':
      return fc.array(valuesOf(schemas, schema.items ?? {}), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.max(schema.minItems ?? 0, Math.min(schema.maxItems ?? ITEMS_MAX, ITEMS_MAX)),
      });
    case 'object':
      return objectsOf(schemas, schema);
    case undefined:
      return anyJson;
    default:
      throw new Error(`no values of type ${schema.type} are known`);
  }
}

function objectsOf(schemas: Schemas, schema: Schema): fc.Arbitrary<Json> {
  const properties = Object.entries(schema.properties ?? {});
  const { additionalProperties: others } = schema;
  if (properties.length === 0 && typeof others === 'object') {
    const names = fc.string({ maxLength: 10 }).filter((name) => name !== '__proto__');
    return fc.dictionary(names, valuesOf(schemas, others), { maxKeys: ITEMS_MAX, noNullPrototype: true });
  }
  const model = Object.fromEntries(properties.map(([name, property]) => [name, valuesOf(schemas, property)]));
  return fc.record(model, { requiredKeys: [...(schema.required ?? [])], noNullPrototype: true });
}

function textsOf({ format, maxLength, minLength = 0, pattern }: Schema): fc.Arbitrary<string> {
  switch (format) {
    case 'uuid':
      return fc.uuid();
    case 'date-time':
      return fc
        .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
        .map((date) => date.toISOString());
    case 'uri':
      return fc.webUrl({ validSchemes: ['http', 'https'] });
  }
  if (pattern !== undefined) {
    const fits = (text: string) => text.length >= minLength && text.length <= (maxLength ?? Number.POSITIVE_INFINITY);
    return fc.stringMatching(new RegExp(pattern)).filter(fits);
  }
  return fc.string({
    minLength,
    maxLength: Math.max(minLength, Math.min(maxLength ?? TEXT_LENGTH_MAX, TEXT_LENGTH_MAX)),
  });
}

/** A changed body, and the path of the change as the API writes it: `states[0].name`. */
export interface Change {
  readonly place: string;
  readonly value: unknown;
}

const ODD_VALUES: readonly Json[] = [
  null,
  true,
  -1,
  0.5,
  1e300,
  '',
  'x',
  '\u0000',
  'x'.repeat(101_000),
  [],
  [null],
  {},
  { __typename: 'x' },
];

/** Replaces, removes or adds one value in a body. Most results are invalid, some are valid. */
export function changesOf(body: unknown): fc.Arbitrary<Change> {
  const places = placesOf(body, []);
  return fc.constantFrom(...places).chain((path): fc.Arbitrary<Change> => {
    const replaced = fc
      .constantFrom(...ODD_VALUES)
      .map((odd) => ({ place: placeName(path), value: changed(body, path, () => odd) }));
    const removed = fc.constant({ place: placeName(path), value: changed(body, path, () => undefined) });
    const added = fc.constant({
      place: placeName([...path, 'unknown_field']),
      value: changed(body, path, (value) =>
        typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value, unknown_field: 1 } : value,
      ),
    });
    return path.length === 0 ? fc.oneof(replaced, added) : fc.oneof(replaced, removed, added);
  });
}

type Path = readonly (string | number)[];

function placesOf(value: unknown, path: Path): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [path, ...inner.flatMap(([key, child]) => placesOf(child, [...path, key]))];
}

function changed(value: unknown, path: Path, change: (value: unknown) => unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return change(value);
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => {
      if (index !== key) return [item];
      const next = changed(item, rest, change);
      return next === undefined ? [] : [next];
    });
  }
  return Object.fromEntries(
    Object.entries(value as object).flatMap(([name, item]) => {
      if (name !== key) return [[name, item]];
      const next = changed(item, rest, change);
      return next === undefined ? [] : [[name, next]];
    }),
  );
}

function placeName(path: Path): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');
}
