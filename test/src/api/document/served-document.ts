import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { FastifyInstance } from 'fastify';

/** The parts of a JSON Schema that the tests read. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
}

export interface MediaType {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export function examplesOf({ example, examples = {} }: MediaType): readonly unknown[] {
  return [...(example === undefined ? [] : [example]), ...Object.values(examples).map(({ value }) => value)];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface DocumentedResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description?: string; readonly schema: Schema }>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

interface DocumentedOperation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly tags: readonly { readonly name: string }[];
  readonly webhooks: Readonly<Record<string, { readonly post: DocumentedOperation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
const METHODS: readonly Method[] = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'];

export interface Operation {
  /** `GET /v1/calls/{id}`. */
  readonly name: string;
  readonly method: Method;
  readonly path: string;
  readonly needsKey: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly contentType: string; readonly schema: Schema; readonly example: unknown } | null;
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
  readonly documented: DocumentedOperation;
}

export async function servedDocument(app: FastifyInstance): Promise<OpenApiDocument> {
  const served: OpenApiDocument = (await app.inject('/openapi.json')).json();
  return inlined(served, served);
}

/** Replaces references to shared responses, parameters and headers by what they refer to. Schemas stay references. */
function inlined<T>(value: T, document: unknown): T {
  return JSON.parse(JSON.stringify(value), (_key, inner) => {
    const [, kind = '', name = ''] =
      /^#\/components\/(responses|parameters|headers)\/(.+)$/.exec(inner?.$ref ?? '') ?? [];
    return name === '' ? inner : inlined(partOf(document, ['components', kind, name]), document);
  });
}

function partOf(value: unknown, [name, ...path]: readonly string[]): unknown {
  if (name === undefined) return value;
  const part = typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name) : null;
  if (!part) throw new Error(`the document does not contain ${name}`);
  return partOf(part[1], path);
}

/** Every operation of the document. */
export function operationsOf(document: OpenApiDocument): readonly Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([verb, documented]): Operation => {
      const method = METHODS.find((known) => known.toLowerCase() === verb);
      if (method === undefined) throw new Error(`${path}: unknown method ${verb}`);
      const [content] = Object.entries(documented.requestBody?.content ?? {});
      return {
        name: `${method} ${path}`,
        method,
        path,
        needsKey: documented.security?.length !== 0,
        parameters: documented.parameters ?? [],
        body: content === undefined ? null : bodyOf(...content),
        responses: documented.responses,
        documented,
      };
    }),
  );
}

function bodyOf(contentType: string, media: MediaType) {
  return { contentType, schema: media.schema, example: examplesOf(media)[0] };
}

/** Resolves and validates schemas of the document. */
export class Schemas {
  readonly #document: OpenApiDocument;
  readonly #ajv: Ajv2020;
  /** By schema text: most responses share a few schemas. */
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.#document = document;
    this.#ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true });
    addFormats.default(this.#ajv);
    this.#ajv.addSchema({ $id: 'openapi', components: document.components });
  }

  resolved(schema: Schema): Schema {
    const name = /^#\/components\/schemas\/(.+)$/.exec(schema.$ref ?? '')?.[1];
    const target = name === undefined ? schema : this.#document.components.schemas[name];
    if (target === undefined) throw new Error(`the document does not contain ${schema.$ref}`);
    return target === schema ? schema : this.resolved(target);
  }

  /** Names that a schema refers to, directly or through other schemas. */
  namesIn(schema: Schema, found = new Set<string>()): ReadonlySet<string> {
    for (const [, name = ''] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      this.namesIn(this.resolved({ $ref: `#/components/schemas/${name}` }), found);
    }
    return found;
  }

  /** The ajv error of a value. null: valid. */
  faultOf(schema: Schema, value: unknown): string | null {
    const text = JSON.stringify(schema);
    const validate = this.#compiled.get(text) ?? this.#ajv.compile(inDocument(text));
    this.#compiled.set(text, validate);
    return validate(value) ? null : this.#ajv.errorsText(validate.errors);
  }
}

/** Makes references absolute, so that they resolve from any schema. */
function inDocument(text: string): Schema {
  return JSON.parse(text.replaceAll('"$ref":"#/', '"$ref":"openapi#/'));
}
