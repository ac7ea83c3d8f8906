/** The parts of a JSON Schema that the document's makers read. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: unknown;
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly discriminator?: { readonly propertyName: string; readonly mapping: Readonly<Record<string, string>> };
  readonly examples?: readonly unknown[];
}

export interface Reference {
  readonly $ref: string;
}

export interface MediaType {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface Header {
  readonly description: string;
  readonly schema: Schema;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header | Reference>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface OperationParameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Schema & { readonly default?: unknown };
}

export interface Operation<R extends Response | Reference = Response | Reference, P = OperationParameter | Reference> {
  readonly operationId: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly P[];
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, R>>;
}

/** An operation as `@fastify/swagger` writes it: without references to other parts than schemas. */
export type PlainOperation = Operation<Response, OperationParameter>;

type Paths<O> = Readonly<Record<string, Readonly<Record<string, O>>>>;
export type Schemas = Readonly<Record<string, Schema>>;

export interface PlainDocument {
  readonly paths: Paths<PlainOperation>;
  readonly components: { readonly schemas: Schemas };
}

export interface OpenApiDocument {
  readonly paths: Paths<Operation>;
  readonly webhooks: Readonly<Record<string, object>>;
  readonly components: Components;
}

interface Components {
  readonly schemas: Schemas;
  readonly responses: Readonly<Record<string, Response>>;
  readonly parameters: Readonly<Record<string, OperationParameter>>;
  readonly headers: Readonly<Record<string, Header>>;
}

export function mapped<T, R>(
  record: Readonly<Record<string, T>>,
  change: (value: T, name: string) => R,
): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
}

export function schemaReference(name: string): Reference {
  return { $ref: `#/components/schemas/${name}` };
}

/** The name of the schema that a reference names; null: no reference to a schema. */
export function referredSchema(schema: Schema): string | null {
  return /^#\/components\/schemas\/(.+)$/.exec(schema.$ref ?? '')?.[1] ?? null;
}

/** `CreateAgent` for `createAgent`. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
