import type { FastifyInstance, InjectOptions } from 'fastify';
import { ADMIN_KEY } from '../test-api.ts';
import type { MediaType, Operation, Schemas } from './served-document.ts';
import { multipart, resourceOf, type World } from './world.ts';

export interface Asked {
  /** Path parameters by name, instead of the resources of the world. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly key?: string;
}

export interface Told {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly contentType: string | null;
  /** Parsed if it is JSON. */
  readonly body: unknown;
}

/** Calls an operation of the document on the resources of a world. */
export async function ask(app: FastifyInstance, operation: Operation, world: World, asked: Asked): Promise<Told> {
  const { params = {}, query = {}, key = ADMIN_KEY } = asked;
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(params[name] ?? world[resourceOf(operation.path, name)]),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) search.set(name, String(value));
  const options: InjectOptions = {
    method: operation.method,
    url: search.size === 0 ? path : `${path}?${search}`,
    headers: { 'x-api-key': key, ...asked.headers },
  };
  const {
    statusCode: status,
    headers,
    body,
  } = await app.inject({ ...options, ...(await sent(operation, asked, options)) });
  const contentType = typeof headers['content-type'] === 'string' ? headers['content-type'] : null;
  const isJson = contentType?.startsWith('application/json') === true;
  return { status, headers, contentType, body: isJson ? JSON.parse(body) : body };
}

async function sent({ body }: Operation, asked: Asked, { headers }: InjectOptions): Promise<InjectOptions> {
  if (body === null || asked.body === undefined) return {};
  if (body.contentType !== 'multipart/form-data') {
    const payload = JSON.stringify(asked.body);
    return { payload, headers: { 'content-type': body.contentType, ...headers } };
  }
  const form = new FormData();
  const fields = typeof asked.body === 'object' && asked.body !== null ? Object.entries(asked.body) : [];
  for (const [name, value] of fields) {
    if (Array.isArray(value)) for (const file of value) form.append(name, new Blob([String(file)]), 'file.pdf');
    else form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  const { payload, contentType } = await multipart(form);
  return { payload, headers: { 'content-type': contentType, ...headers } };
}

/** How the response differs from the document. null: it matches. */
export function answerFault(operation: Operation, schemas: Schemas, told: Told): string | null {
  const documented = operation.responses[told.status];
  if (documented === undefined) return `${told.status} is not documented: ${JSON.stringify(told.body)}`;
  if (told.status >= 500 && told.status !== 501 && told.status !== 503) return `${told.status}`;
  const media = mediaOf(documented.content ?? {}, told.contentType);
  if (media === null) return told.body === '' ? null : `${told.status} has the content type ${told.contentType}`;
  const fault = schemas.faultOf(media.schema, told.body);
  if (fault !== null) return `${told.status}: ${fault} in ${JSON.stringify(told.body)}`;
  const status = statusIn(told.body);
  return status === null || status === told.status ? null : `${told.status} says status ${status}`;
}

function mediaOf(content: Readonly<Record<string, MediaType>>, contentType: string | null): MediaType | null {
  const [name = ''] = contentType?.split(';') ?? [];
  return content[name] ?? null;
}

function statusIn(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'status' in body ? body.status : null;
}

/** The fields that a failure lists. */
export function namedFields({ body }: Told): readonly (string | null)[] {
  if (typeof body !== 'object' || body === null || !('error' in body)) return [];
  const { error } = body;
  if (typeof error !== 'object' || error === null || !('details' in error) || !Array.isArray(error.details)) return [];
  return error.details.map(({ field }) => field);
}
