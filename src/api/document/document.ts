import { isDeepStrictEqual } from 'node:util';
import { failureResponse } from './failure-responses.ts';
import { NamedParts } from './named-parts.ts';
import {
  capitalized,
  type Header,
  type MediaType,
  mapped,
  type OpenApiDocument,
  type Operation,
  type OperationParameter,
  type PlainDocument,
  type PlainOperation,
  type Reference,
  type Response,
  referredSchema,
  type Schema,
  type Schemas,
} from './openapi-document.ts';
import { withMergedSchemas, withoutDefaults } from './schema-names.ts';
import { RECEIVER_RESPONSES } from './webhook-section.ts';

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

/** Specification, «Rate-limit response headers». Every response to a key has them; shown at 429, as generators repeat them. */
const RATE_LIMIT_HEADERS: Readonly<Record<string, string>> = {
  'ratelimit-limit': 'Request limit of the window with the fewest requests left.',
  'ratelimit-remaining': 'Requests left in that window.',
  'x-ratelimit-limit-minute': 'Request limit of the API key per minute.',
  'x-ratelimit-remaining-minute': 'Requests left in the current minute.',
  'x-ratelimit-limit-hour': 'Request limit of the API key per hour.',
  'x-ratelimit-remaining-hour': 'Requests left in the current hour.',
};
const RETRY_AFTER = { 'retry-after': 'Seconds to wait before a retry.' };

/** Description that `@fastify/swagger` gives a response without one. */
const NO_DESCRIPTION = 'Default Response';

/**
 * The document as clients read it: what all operations share (headers, failures, examples) added, and each shape that several places
 * use named once in `components`.
 */
export function completed(document: PlainDocument, webhooks: OpenApiDocument['webhooks']): OpenApiDocument {
  return new DocumentMaker(withMergedSchemas(document)).made(webhooks);
}

class DocumentMaker {
  readonly #document: PlainDocument;
  readonly #schemas = new NamedParts<Schema>('schemas');
  readonly #responses = new NamedParts<Response>('responses');
  readonly #parameters = new NamedParts<OperationParameter>('parameters');
  readonly #headers = new NamedParts<Header>('headers');
  /** Query and header parameters by name: those that differ between operations stay with them. */
  readonly #sharedParameters: ReadonlyMap<string, OperationParameter>;

  constructor(document: PlainDocument) {
    this.#document = document;
    this.#sharedParameters = sharedParameters(document);
    for (const [name, { examples: _shownByOperations, ...schema }] of Object.entries(document.components.schemas)) {
      this.#schemas.add(name, schema);
    }
  }

  made(webhooks: OpenApiDocument['webhooks']): OpenApiDocument {
    const paths = mapped(this.#document.paths, (item) =>
      mapped(item, (operation, method) => this.#operation(operation, method)),
    );
    const components = {
      schemas: this.#schemas.record(),
      responses: { ...this.#responses.record(), ...RECEIVER_RESPONSES },
      parameters: this.#parameters.record(),
      headers: this.#headers.record(),
    };
    return { ...this.#document, paths, webhooks, components };
  }

  #operation(operation: PlainOperation, method: string): Operation {
    const { operationId, parameters, requestBody, responses, security } = operation;
    const creates = parameters?.some(({ name }) => name === 'Idempotency-Key') === true;
    const further = [...(method === 'get' ? [] : ['400', '413', '415']), ...(creates ? ['409'] : [])];
    const added = further.map((status): [string, Response] => [status, { description: NO_DESCRIPTION }]);
    const isKeyed = security?.length !== 0;
    return {
      ...operation,
      ...(parameters !== undefined && { parameters: parameters.map((parameter) => this.#parameter(parameter)) }),
      ...(requestBody !== undefined && {
        requestBody: {
          ...requestBody,
          content: mapped(requestBody.content, (media) => this.#body(media, `${capitalized(operationId)}Request`)),
        },
      }),
      responses: mapped({ ...Object.fromEntries(added), ...responses }, (response, status) => {
        const headers = this.#headersOf(status, isKeyed);
        return Number(status) >= 400
          ? this.#failure(response, { status, isKeyed, creates }, headers)
          : this.#success(response, status, headers, operation);
      }),
    };
  }

  #parameter(parameter: OperationParameter): OperationParameter | Reference {
    const { name } = parameter;
    if (!isDeepStrictEqual(this.#sharedParameters.get(name), parameter)) return parameter;
    return this.#parameters.add(name.split(/[_-]/).map(capitalized).join(''), parameter);
  }

  #body({ example, schema: given }: MediaType, name: string): MediaType {
    const schema = withoutDefaults(given);
    return {
      examples: { request: { value: example } },
      schema: schema.$ref === undefined ? this.#schemas.add(name, schema) : schema,
    };
  }

  #headersOf(status: string, isKeyed: boolean): Record<string, Reference> {
    const headers = {
      ...(isKeyed && status === '429' && RATE_LIMIT_HEADERS),
      ...((status === '429' || status === '503') && RETRY_AFTER),
    };
    return mapped(headers, (description, name) =>
      this.#headers.add(name, { description, schema: { type: 'integer', minimum: 0 } }),
    );
  }

  #failure(
    { description }: Response,
    { creates, isKeyed, status }: { readonly creates: boolean; readonly isKeyed: boolean; readonly status: string },
    headers: Record<string, Reference>,
  ): Response | Reference {
    const { name, response } = failureResponse(
      {
        status,
        messages: description === NO_DESCRIPTION ? [] : description.split('\n'),
        isShared: this.#timesUsed(status, description) > 1,
        isGeneral: isKeyed && (status !== '409' || creates),
      },
      headers,
    );
    return name === null ? response : this.#responses.add(name, response);
  }

  #timesUsed(status: string, description: string): number {
    const operations = Object.values(this.#document.paths).flatMap((item) => Object.values(item));
    return operations.filter(({ responses }) => responses[status]?.description === description).length;
  }

  #success(
    response: Response,
    status: string,
    headers: Record<string, Reference>,
    operation: PlainOperation,
  ): Response {
    const { content, description } = response;
    return {
      description: description === NO_DESCRIPTION ? 'Success' : description,
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(content !== undefined && {
        content: mapped(content, (media, type) =>
          type === 'application/json' ? this.#envelope(media.schema, operation, status) : media,
        ),
      }),
    };
  }

  /** The envelope of a success under the name of its resource, with the example of the resource. */
  #envelope(schema: Schema, { operationId, parameters }: PlainOperation, status: string): MediaType {
    const { schemas } = this.#document.components;
    const { data = {}, message = {}, ...others } = schema.properties ?? {};
    const { examples: [text] = [], ...withoutExample } = message;
    const isPage = others.next_cursor !== undefined;
    const byCursor = parameters?.find(({ name }) => name === 'use_cursor')?.schema.default === true;
    const place = byCursor ? { next_cursor: null } : { current_page: 1, total_pages: 1, total_items: 1 };
    return {
      schema: this.#schemas.add(envelopeName(data, isPage, operationId), {
        ...schema,
        properties: { message: withoutExample, data: describedData(data), ...others },
      }),
      examples: {
        success: {
          value: {
            message: text,
            data: dataExample(schemas, data),
            error: null,
            status: Number(status),
            ...(isPage && place),
          },
        },
      },
    };
  }
}

/** `AgentResponse`, `AgentListResponse` or `AgentPageResponse` of the resource `Agent`; `EmptyResponse` without data. */
function envelopeName(data: Schema, isPage: boolean, operationId: string): string {
  if (data.type === 'null') return 'EmptyResponse';
  const name = referredSchema(data);
  if (name !== null) return `${name}Response`;
  const item = data.items === undefined ? null : referredSchema(data.items);
  if (item === null) throw new Error(`the data of ${operationId} has no name: give its schema an id`);
  return isPage ? `${item}PageResponse` : `${item}ListResponse`;
}

/** A reference has the description of its resource. */
function describedData(data: Schema): Schema {
  if (data.$ref !== undefined) return data;
  return {
    ...data,
    description: data.type === 'null' ? 'Always null: the result is its status.' : 'The found or created items.',
  };
}

function dataExample(schemas: Schemas, schema: Schema): unknown {
  const name = referredSchema(schema);
  const found = name === null ? schema : schemas[name];
  if (found?.examples !== undefined) return found.examples[0];
  return found?.items === undefined ? null : [dataExample(schemas, found.items)];
}

/** Query and header parameters that several operations have in the same form. Of several forms the most frequent one is shared. */
function sharedParameters({ paths }: PlainDocument): ReadonlyMap<string, OperationParameter> {
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const parameters = operations
    .flatMap(({ parameters = [] }) => parameters)
    .filter(({ in: place }) => place !== 'path');
  const timesUsed = (parameter: OperationParameter) =>
    parameters.filter((other) => isDeepStrictEqual(parameter, other)).length;
  const shared = new Map<string, OperationParameter>();
  for (const parameter of parameters) {
    const known = shared.get(parameter.name);
    if (timesUsed(parameter) > (known === undefined ? 1 : timesUsed(known))) shared.set(parameter.name, parameter);
  }
  return shared;
}
