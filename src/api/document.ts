import { API_ERROR_CODES, ApiError, type ApiErrorCode } from './api-error.ts';
import { failure } from './envelope.ts';

/** A JSON Schema, as much of it as is looked at here. */
interface Schema {
  readonly $ref?: string;
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly examples?: readonly unknown[];
}

interface MediaType {
  readonly schema: Schema;
  readonly example?: unknown;
}

interface Response {
  readonly description: string;
  readonly content?: Readonly<Record<string, MediaType>>;
}

interface Operation {
  readonly summary?: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly { readonly name: string; readonly schema: Schema & { readonly default?: unknown } }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
  readonly responses: Readonly<Record<string, Response>>;
}

/** An OpenAPI document, as much of it as is looked at here. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** On the POSTs that create. */
export const IDEMPOTENCY_KEY_HEADER = {
  type: 'object',
  properties: {
    'Idempotency-Key': {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description:
        'The same key with the same request gets the first answer again, for 24 h; with another request it is 409. A crash ' +
        'before the answer makes no second phone or staged call: call_id of the first is answered. 1 to 255 characters.',
    },
  },
} as const;

/** Specification, «Rate-limit response headers». */
const RATE_LIMIT_HEADERS: Readonly<Record<string, string>> = {
  'ratelimit-limit': 'Requests in the window that is nearest to its limit.',
  'ratelimit-remaining': 'Requests that are left in that window.',
  'x-ratelimit-limit-minute': 'Requests of the key in a minute.',
  'x-ratelimit-remaining-minute': 'Requests that are left in this minute.',
  'x-ratelimit-limit-hour': 'Requests of the key in an hour.',
  'x-ratelimit-remaining-hour': 'Requests that are left in this hour.',
};
const RETRY_AFTER = { 'retry-after': 'Seconds until it is worth trying again.' };

const FAILURE = { $ref: '#/components/schemas/Failure' };
/** What `@fastify/swagger` says of a response that says nothing of itself. */
const UNTOLD = 'Default Response';

/** What every operation has in common and no route says for itself: headers, failures, and an example of each answer. */
export function completed(document: OpenApiDocument): OpenApiDocument {
  const paths = mapped(document.paths, (item) => mapped(item, (operation) => completedOperation(document, operation)));
  return { ...document, paths, components: { ...document.components, schemas: referred(document, paths) } };
}

function completedOperation(document: OpenApiDocument, operation: Operation): Operation {
  const { parameters = [], requestBody, responses, security, summary = '' } = operation;
  const further = [
    ...(requestBody === undefined ? [] : [413, 415]),
    ...(parameters.some(({ name }) => name === 'Idempotency-Key') ? [409] : []),
  ];
  const added = further.map((status): [string, Response] => [
    String(status),
    { description: UNTOLD, content: { 'application/json': { schema: FAILURE } } },
  ]);
  const isKeyed = security?.length !== 0;
  const all = { ...Object.fromEntries(added), ...responses };
  return {
    ...operation,
    responses: mapped(all, (response, status) => {
      const failed = Number(status) >= 400 ? failureOf(Number(status)) : null;
      const example =
        failed === null ? (schema: Schema) => exampleOf(document, schema, operation, status) : () => failure(failed);
      const headers = {
        ...(isKeyed && status !== '401' && RATE_LIMIT_HEADERS),
        ...((status === '429' || status === '503') && RETRY_AFTER),
      };
      return {
        ...response,
        description: response.description === UNTOLD ? (failed?.message ?? summary) : response.description,
        ...(Object.keys(headers).length > 0 && {
          headers: mapped(headers, (description) => ({ description, schema: { type: 'integer', minimum: 0 } })),
        }),
        ...(response.content !== undefined && {
          content: mapped(response.content, (media, type) =>
            type === 'application/json' ? { ...media, example: example(media.schema) } : media,
          ),
        }),
      };
    }),
  };
}

function failureOf(status: number): ApiError {
  const code: ApiErrorCode = API_ERROR_CODES.find((one) => new ApiError(one).status === status) ?? 'internal';
  return new ApiError(code);
}

/** An answer in the envelope, around the example that its resource has. */
function exampleOf(document: OpenApiDocument, schema: Schema, operation: Operation, status: string): unknown {
  const { properties = {} } = schema;
  const byCursor = operation.parameters?.find(({ name }) => name === 'use_cursor')?.schema.default === true;
  const page = byCursor ? { next_cursor: null } : { current_page: 1, total_pages: 1, total_items: 1 };
  return {
    message: operation.summary,
    data: dataExample(document, properties.data ?? {}),
    error: null,
    status: Number(status),
    ...(properties.next_cursor !== undefined && page),
  };
}

function dataExample(document: OpenApiDocument, schema: Schema): unknown {
  const name = schema.$ref?.replace('#/components/schemas/', '');
  const found = name === undefined ? schema : document.components.schemas[name];
  if (found?.examples !== undefined) return found.examples[0];
  return found?.items === undefined ? null : [dataExample(document, found.items)];
}

/** The schemas that are referred to, from operations or from each other: each is made for requests and for answers. */
function referred(document: OpenApiDocument, paths: unknown): Readonly<Record<string, Schema>> {
  const { schemas } = document.components;
  const found = new Map<string, Schema>();
  const look = (text: string): void => {
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      const schema = schemas[name];
      if (schema === undefined || found.has(name)) continue;
      found.set(name, schema);
      look(JSON.stringify(schema));
    }
  };
  look(JSON.stringify(paths));
  return Object.fromEntries([...found].sort(([a], [b]) => a.localeCompare(b)));
}

function mapped<T, R>(record: Readonly<Record<string, T>>, change: (value: T, name: string) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
}
