import type { FastifyInstance, InjectOptions } from 'fastify';
import { ADMIN_KEY } from '../test-api.ts';
import type { MediaType, Operation, Schemas } from './served-document.ts';
import { multipart, resourceOf, type World } from './world.ts';

export interface ApiRequest {
  /** Path parameters by name, instead of the resources of the world. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly key?: string;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly contentType: string | null;
  /** Parsed if it is JSON. */
  readonly body: unknown;
}

/** Calls an operation of the document on the resources of a world. */
export async function send(
  app: FastifyInstance,
  operation: Operation,
  world: World,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { params = {}, query = {}, key = ADMIN_KEY } = request;
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(params[name] ?? world[resourceOf(operation.path, name)]),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) search.set(name, String(value));
  const options: InjectOptions = {
    method: operation.method,
    url: search.size === 0 ? path : `${path}?${search}`,
    headers: { 'x-api-key': key, ...request.headers },
  };
  const {
    statusCode: status,
    headers,
    body,
  } = await app.inject({ ...options, ...(await payloadOf(operation, request, options)) });
  const contentType = typeof headers['content-type'] === 'string' ? headers['content-type'] : null;
  const isJson = contentType?.startsWith('application/json') === true;
  return { status, headers, contentType, body: isJson ? JSON.parse(body) : body };
}

async function payloadOf({ body }: Operation, request: ApiRequest, { headers }: InjectOptions): Promise<InjectOptions> {
  if (body === null || request.body === undefined) return {};
  if (body.contentType !== 'multipart/form-data') {
    const payload = JSON.stringify(request.body);
    return { payload, headers: { 'content-type': body.contentType, ...headers } };
  }
  const form = new FormData();
  const fields = typeof request.body === 'object' && request.body !== null ? Object.entries(request.body) : [];
  for (const [name, value] of fields) {
    if (Array.isArray(value)) for (const file of value) form.append(name, new Blob([String(file)]), 'file.pdf');
    else form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  const { payload, contentType } = await multipart(form);
  return { payload, headers: { 'content-type': contentType, ...headers } };
}

/** The difference between the response and the document; null: none. */
export function answerFault(operation: Operation, schemas: Schemas, response: ApiResponse): string | null {
  const documented = operation.responses[response.status];
  if (documented === undefined) return `${response.status} is not documented: ${JSON.stringify(response.body)}`;
  if (response.status >= 500 && response.status !== 501 && response.status !== 503) return `${response.status}`;
  const media = mediaOf(documented.content ?? {}, response.contentType);
  if (media === null)
    return response.body === '' ? null : `${response.status} has the content type ${response.contentType}`;
  const fault = schemas.faultOf(media.schema, response.body);
  if (fault !== null) return `${response.status}: ${fault} in ${JSON.stringify(response.body)}`;
  const status = statusIn(response.body);
  return status === null || status === response.status ? null : `${response.status} says status ${status}`;
}

function mediaOf(content: Readonly<Record<string, MediaType>>, contentType: string | null): MediaType | null {
  const [name = ''] = contentType?.split(';') ?? [];
  return content[name] ?? null;
}

function statusIn(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'status' in body ? body.status : null;
}

/** The fields that a failure lists. */
export function namedFields({ body }: ApiResponse): readonly (string | null)[] {
  if (typeof body !== 'object' || body === null || !('error' in body)) return [];
  const { error } = body;
  if (typeof error !== 'object' || error === null || !('details' in error) || !Array.isArray(error.details)) return [];
  return error.details.map(({ field }) => field);
}
