import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import {
  mapped,
  type PlainDocument,
  referredSchema,
  type Schema,
  type Schemas,
  schemaReference,
} from './openapi-document.ts';

/** Suffix that `fastify-type-provider-zod` gives the schemas of requests. */
const REQUEST_SUFFIX = 'Input';
/** Named by the webhooks, which the generator does not know. */
const WEBHOOK_SCHEMAS = ['CallEvent', 'LookupQuestion', `LookupAnswer${REQUEST_SUFFIX}`];
/** zod writes these bounds for every integer without own ones. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;

/**
 * The document with one schema for each name. The generator writes each twice, for requests and for responses. They differ in
 * defaults: a request may omit the field, a response never does. The request's form stands for both, so that clients send back what
 * they read. The descriptions name the defaults; the keyword is left out, because generators make its field required
 * (openapi-typescript) or send the default of the release that they were made for (openapi-python-client).
 */
export function withMergedSchemas(document: PlainDocument): PlainDocument {
  const { components, paths }: PlainDocument = JSON.parse(JSON.stringify(document), tidied);
  const schemas = mapped(components.schemas, withoutDefaults);
  const used = namesIn([paths, WEBHOOK_SCHEMAS.map(schemaReference)], schemas);
  const merged = new Map<string, Schema>();
  for (const name of [...used].sort()) {
    const schema = renamed(schemas[name] ?? {});
    const plain = plainName(name);
    const known = merged.get(plain);
    if (known !== undefined && !isDeepStrictEqual(withoutRequired(known), withoutRequired(schema))) {
      throw new Error(`requests and responses have different schemas named ${plain}: give one another id`);
    }
    if (known === undefined || name !== plain) merged.set(plain, schema);
  }
  for (const { name, schema } of Object.values(SCALARS)) merged.set(name, schema);
  return {
    ...document,
    paths: renamed(paths),
    components: { schemas: withDiscriminators(Object.fromEntries(merged)) },
  };
}

export function withoutDefaults(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema), (key, value) => (key === 'default' ? undefined : value));
}

function withoutRequired(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema), (key, value) => (key === 'required' ? undefined : value));
}

function plainName(name: string): string {
  return name.endsWith(REQUEST_SUFFIX) ? name.slice(0, -REQUEST_SUFFIX.length) : name;
}

function renamed<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (key, inner) => (key === '$ref' ? plainName(inner) : inner));
}

/** Formats with a named schema, so that no client repeats their description. */
const SCALARS: Readonly<Record<string, { readonly name: string; readonly schema: Schema }>> = {
  uuid: {
    name: 'Id',
    schema: { type: 'string', format: 'uuid', pattern: z.regexes.uuid().source, description: 'Identifier, a UUID.' },
  },
  'date-time': { name: 'Timestamp', schema: { type: 'string', format: 'date-time', description: 'Time, ISO 8601.' } },
};

/** Without keywords that say nothing: zod writes them for every schema of a kind. Named scalars become references. */
function tidied(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const scalar = 'format' in value && 'type' in value && value.type === 'string' ? SCALARS[String(value.format)] : null;
  if (scalar)
    return { ...schemaReference(scalar.name), ...('description' in value && { description: value.description }) };
  const entries = Object.entries(value).filter(
    ([name, inner]) =>
      !(name === 'propertyNames' && isDeepStrictEqual(inner, { type: 'string' })) &&
      !((name === 'minimum' || name === 'maximum') && Math.abs(Number(inner)) === UNBOUNDED),
  );
  return Object.fromEntries(entries);
}

/** Names that a value refers to, directly or through other schemas. */
function namesIn(value: unknown, schemas: Schemas, found = new Set<string>()): ReadonlySet<string> {
  for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    if (found.has(name)) continue;
    found.add(name);
    namesIn(schemas[name] ?? null, schemas, found);
  }
  return found;
}

/** Adds the field that distinguishes the alternatives of a union. */
function withDiscriminators(schemas: Schemas): Schemas {
  return mapped(schemas, (schema) => {
    const alternatives = schema.oneOf ?? schema.anyOf ?? [];
    const names = alternatives.map(referredSchema).filter((name) => name !== null);
    if (names.length === 0 || names.length !== alternatives.length) return schema;
    const [first, ...others] = names.map((name) => constantsOf(schemas[name]));
    const propertyName = Object.keys(first ?? {}).find((field) => others.every((other) => other[field] !== undefined));
    if (propertyName === undefined) return schema;
    const mapping = Object.fromEntries(
      names.map((name) => [constantsOf(schemas[name])[propertyName] ?? name, `#/components/schemas/${name}`]),
    );
    return { ...schema, discriminator: { propertyName, mapping } };
  });
}

function constantsOf(schema: Schema | undefined): Record<string, string> {
  const entries = Object.entries(schema?.properties ?? {});
  return Object.fromEntries(
    entries.flatMap(([name, { const: value }]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}
