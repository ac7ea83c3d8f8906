import { API_ERROR_CODES, ApiError, type ApiErrorCode, invalidField, scopeMissing } from '../errors/api-error.ts';
import { failure } from '../errors/envelope.ts';
import { KEY_MISMATCH } from '../requests/idempotency.ts';

/** The parts of a JSON Schema that this file reads. */
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
  readonly security?: readonly unknown[];
  readonly parameters?: readonly { readonly name: string; readonly schema: Schema & { readonly default?: unknown } }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
  readonly responses: Readonly<Record<string, Response>>;
}

/** The parts of an OpenAPI document that this file reads. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** A request header of every POST that creates a resource. */
export const IDEMPOTENCY_KEY_HEADER = {
  type: 'object',
  properties: {
    'Idempotency-Key': {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description:
        'Key for safe retries, 1 to 255 characters. For 24 hours the same key with the same request returns the first ' +
        'response and creates nothing. The same key with a different request returns 409. Staged and phone calls are also ' +
        'protected if the service crashes before it responds: the retry returns the `call_id` of the first request.',
    },
  },
} as const;

/** Specification, «Rate-limit response headers». */
const RATE_LIMIT_HEADERS: Readonly<Record<string, string>> = {
  'ratelimit-limit': 'Request limit of the window with the fewest requests left.',
  'ratelimit-remaining': 'Requests left in that window.',
  'x-ratelimit-limit-minute': 'Request limit of the API key per minute.',
  'x-ratelimit-remaining-minute': 'Requests left in the current minute.',
  'x-ratelimit-limit-hour': 'Request limit of the API key per hour.',
  'x-ratelimit-remaining-hour': 'Requests left in the current hour.',
};
const RETRY_AFTER = { 'retry-after': 'Seconds to wait before a retry.' };

const FAILURE = { $ref: '#/components/schemas/Failure' };
/** Description that `@fastify/swagger` gives a response without one. */
const NO_DESCRIPTION = 'Default Response';

/** Adds what all operations share: headers, failures, and an example of each response. */
export function completed(document: OpenApiDocument): OpenApiDocument {
  const paths = mapped(document.paths, (item) =>
    mapped(item, (operation, method) => completedOperation(document, operation, method)),
  );
  return { ...document, paths, components: { ...document.components, schemas: referred(document, paths) } };
}

function completedOperation(document: OpenApiDocument, operation: Operation, method: string): Operation {
  const { parameters = [], requestBody, responses, security } = operation;
  const further = [
    ...(requestBody === undefined ? [] : [413, 415]),
    ...(parameters.some(({ name }) => name === 'Idempotency-Key') ? [409] : []),
  ];
  const added = further.map((status): [string, Response] => [
    String(status),
    {
      description: status === 409 ? KEY_MISMATCH : NO_DESCRIPTION,
      content: { 'application/json': { schema: FAILURE } },
    },
  ]);
  const isKeyed = security?.length !== 0;
  const all = { ...Object.fromEntries(added), ...responses };
  return {
    ...operation,
    responses: mapped(all, (response, status) => {
      const hasDescription = response.description !== NO_DESCRIPTION;
      const failed =
        Number(status) >= 400 ? failureOf(Number(status), hasDescription ? response.description : null, method) : null;
      const example =
        failed === null ? (schema: Schema) => exampleOf(document, schema, operation, status) : () => failure(failed);
      const headers = {
        ...(isKeyed && status !== '401' && RATE_LIMIT_HEADERS),
        ...((status === '429' || status === '503') && RETRY_AFTER),
      };
      return {
        ...response,
        description: hasDescription ? response.description : descriptionOf(failed),
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

function failureOf(status: number, message: string | null, method: string): ApiError {
  if (status === 400 && message === null && method !== 'get') return new ApiError('body_unparsable');
  if (status === 403 && message === null) return scopeMissing(method === 'get' ? 'read' : 'write');
  if (status === 422 && message === null) return invalidField('unexpected_field', 'Unknown field');
  const code: ApiErrorCode = API_ERROR_CODES.find((one) => new ApiError(one).status === status) ?? 'internal';
  return new ApiError(code, message === null ? {} : { message });
}

/** The example of a 422 holds one field; its description is that of all. */
function descriptionOf(failed: ApiError | null): string {
  if (failed === null) return 'Success';
  return new ApiError(failed.code).message;
}

/** A success in the envelope, around the example of its resource. */
function exampleOf(document: OpenApiDocument, schema: Schema, operation: Operation, status: string): unknown {
  const { properties = {} } = schema;
  const byCursor = operation.parameters?.find(({ name }) => name === 'use_cursor')?.schema.default === true;
  const page = byCursor ? { next_cursor: null } : { current_page: 1, total_pages: 1, total_items: 1 };
  return {
    message: properties.message?.examples?.[0],
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

/** Keeps only referenced schemas: the generator emits each schema twice, for requests and for responses. */
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
