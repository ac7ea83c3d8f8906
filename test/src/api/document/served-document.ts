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
  readonly security?: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
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
  readonly body: (MediaType & { readonly contentType: string }) | null;
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
  readonly documented: DocumentedOperation;
}

export async function servedDocument(app: FastifyInstance): Promise<OpenApiDocument> {
  return (await app.inject('/openapi.json')).json();
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
        body: content === undefined ? null : { contentType: content[0], ...content[1] },
        responses: documented.responses,
        documented,
      };
    }),
  );
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
