import { METHODS } from 'node:http';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { READ_KEY, sharedApi } from '../test-api.ts';
import { type ApiRequest, type ApiResponse, answerFault, namedFields, send } from './api-request.ts';
import { changesOf, valuesOf } from './schema-values.ts';
import {
  examplesOf,
  type Operation,
  operationsOf,
  type Parameter,
  Schemas,
  servedDocument,
} from './served-document.ts';
import { createWorld, freshNumber, resourceOfField, type World } from './world.ts';

/** Higher than these tests can reach. */
const RATE_LIMITS = { perMinute: 10_000_000, perHour: 10_000_000 };
/** Runs per operation and kind of input. */
const RUNS = 12;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const shared = sharedApi({ rateLimits: RATE_LIMITS });
let operations: readonly Operation[];
let schemas: Schemas;
let common: World;

/** A DELETE gets a separate world. */
function worldFor({ method }: Operation): Promise<World> {
  return method === 'DELETE' ? createWorld(shared()) : Promise.resolve(common);
}

beforeAll(async () => {
  common = await createWorld(shared());
  const document = await servedDocument(shared().app);
  // `routes/running-calls.test.ts` reads the stream that has no end.
  operations = operationsOf(document).filter(({ path }) => path !== '/v1/calls/running/events');
  schemas = new Schemas(document);
});

/** Fails with the operation and the input if `check` returns a fault. */
async function eachInput<T>(
  operation: Operation,
  inputs: fc.Arbitrary<T>,
  check: (input: T) => Promise<string | null>,
  numRuns = RUNS,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(inputs, async (input) => {
      const fault = await check(input);
      if (fault !== null) throw new Error(`${operation.name}: ${fault}`);
    }),
    { numRuns },
  );
}

/** The example of the document with unused numbers and the ids of the world. */
function exampleBody(operation: Operation, world: World): unknown {
  return JSON.parse(JSON.stringify(operation.body?.example ?? null), (name, value) => {
    if (name === 'number' || name === 'from_number') return freshNumber();
    const isId = typeof value === 'string' && /^[0-9a-f-]{36}$/.test(value);
    const resource = isId ? resourceOfField(/^\d+$/.test(name) ? 'source_ids' : name) : null;
    return resource === null ? value : world[resource];
  });
}

async function ownNumber(body: unknown, operation: Operation, world: World): Promise<unknown> {
  if (operation.path !== '/v1/calls/phone' || typeof body !== 'object') return body;
  const number = await shared().repositories.phoneNumbers.find('00000000-0000-4000-8000-000000000001', world.numbers);
  return { ...body, from_number: number?.number };
}

/**
 * True if the response names the place, a place inside it, or its parent. Siblings in a list also count: the fault of a
 * union is reported at a sibling.
 */
function isNamed(response: ApiResponse, place: string): boolean {
  if (place === '') return namedFields(response).length > 0;
  const isWithin = (inner: string, outer: string) =>
    inner === outer || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`);
  const parent = place.replace(/(\.[^.[]*|\[\d+\])$/, '');
  return namedFields(response).some(
    (field) =>
      field !== null &&
      (isWithin(field, place) || isWithin(place, field) || (parent !== place && isWithin(field, parent))),
  );
}

/** The message without numbers and warnings: counts, versions and warnings depend on the stored resources. */
function messageOf(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('message' in body)) return null;
  return String(body.message)
    .replace(/\. Warning: .*/, '')
    .replaceAll(/\d+/g, 'N');
}

/** The messages of the examples with the status of the response. */
function documentedMessages({ responses }: Operation, { status }: ApiResponse): readonly (string | null)[] {
  const media = responses[status]?.content?.['application/json'];
  return media === undefined ? [] : examplesOf(media).map(messageOf);
}

/** The recording route also accepts signed URLs; operations of the scope `admin` document that scope. */
function isReadable({ method, path }: Operation): boolean {
  return method === 'GET' && !path.endsWith('/pcap') && path !== '/v1/api-keys';
}

function messageFault(operation: Operation, response: ApiResponse): string | null {
  const sent = messageOf(response.body);
  const documented = documentedMessages(operation, response);
  return documented.includes(sent)
    ? null
    : `${response.status}: sent «${sent}», documented «${documented.join('», «')}»`;
}

it('every operation accepts its example and responds with the documented message', async () => {
  for (const operation of operations) {
    const world = await worldFor(operation);
    const body = await ownNumber(exampleBody(operation, world), operation, world);
    const query = Object.fromEntries(
      operation.parameters
        .filter(({ required, in: place }) => required && place === 'query')
        .map(({ name }) => [name, 1]),
    );
    const response = await send(shared().app, operation, world, { query, ...(operation.body !== null && { body }) });
    expect([
      operation.name,
      response.status,
      response.status >= 300 ? response.body : null,
      answerFault(operation, schemas, response),
      messageOf(response.body) === null ? null : messageFault(operation, response),
    ]).toEqual([operation.name, expect.toSatisfy((status: number) => status >= 200 && status < 300), null, null, null]);
  }
});

it('a body that its schema allows is accepted, or refused with the name of a field', async () => {
  for (const operation of operations) {
    const { body } = operation;
    if (body === null) continue;
    const world = await worldFor(operation);
    await eachInput(operation, valuesOf(schemas, body.schema), async (value) => {
      const response = await send(shared().app, operation, world, { body: value });
      if (response.status === 422 && !isNamed(response, ''))
        return `422 names no field: ${JSON.stringify(response.body)}`;
      return answerFault(operation, schemas, response);
    });
  }
});

it('a body that its schema forbids is refused with the path of the fault', async () => {
  for (const operation of operations) {
    const { body } = operation;
    if (body === null) continue;
    const world = await worldFor(operation);
    const valid = await ownNumber(exampleBody(operation, world), operation, world);
    await eachInput(
      operation,
      changesOf(valid),
      async ({ place, value }) => {
        const response = await send(shared().app, operation, world, { body: value });
        const fault = answerFault(operation, schemas, response);
        if (fault !== null) return fault;
        const allowed = schemas.faultOf(body.schema, value) === null;
        if (!allowed && response.status < 300) return `accepted despite ${schemas.faultOf(body.schema, value)}`;
        if (!allowed && response.status !== 422) return `${response.status} instead of 422`;
        // Two fields may contradict each other. The response may name either of them.
        return response.status !== 422 || isNamed(response, allowed ? '' : place)
          ? null
          : `${place} is not named: ${JSON.stringify(response.body)}`;
      },
      RUNS * 3,
    );
  }
});

function parametersIn(operation: Operation, place: Parameter['in']): readonly Parameter[] {
  return operation.parameters.filter((parameter) => parameter.in === place);
}

it('a query is accepted, or refused with the name of the parameter', async () => {
  for (const operation of operations) {
    const world = await worldFor(operation);
    const known = parametersIn(operation, 'query');
    const body =
      operation.body === null ? {} : { body: await ownNumber(exampleBody(operation, world), operation, world) };
    const valid = fc.record(Object.fromEntries(known.map(({ name, schema }) => [name, valuesOf(schemas, schema)])), {
      requiredKeys: known.filter(({ required }) => required).map(({ name }) => name),
      noNullPrototype: true,
    });
    const runs = known.length === 0 ? 1 : RUNS;
    await eachInput(
      operation,
      valid,
      async (query) => {
        const response = await send(shared().app, operation, world, { query, ...body });
        const isUnnamed = response.status === 422 && !namedFields(response).some((field) => field !== null);
        return answerFault(operation, schemas, response) ?? (isUnnamed ? JSON.stringify(response.body) : null);
      },
      runs,
    );
    const names = [...known.map(({ name }) => name), 'unknown_field', '__proto__'];
    const odd = fc.tuple(
      fc.constantFrom(...names),
      fc.oneof(fc.string(), fc.constantFrom('', '-1', '0', '1e99', 'NaN')),
    );
    await eachInput(
      operation,
      odd,
      async ([name, value]) => {
        const response = await send(shared().app, operation, world, { query: { [name]: value }, ...body });
        const fault = answerFault(operation, schemas, response);
        if (fault !== null || response.status !== 422 || operation.body !== null) return fault;
        return namedFields(response).length > 0 && !namedFields(response).includes(null) ? null : 'names no field';
      },
      runs,
    );
  }
});

it('an unknown or malformed id is 404 with the documented message', async () => {
  for (const operation of operations) {
    const params = parametersIn(operation, 'path');
    if (params.length === 0) continue;
    const world = await worldFor(operation);
    const body =
      operation.body === null ? {} : { body: await ownNumber(exampleBody(operation, world), operation, world) };
    const query = Object.fromEntries(
      parametersIn(operation, 'query').flatMap(({ name, required }) => (required ? [[name, 1]] : [])),
    );
    const ids = fc.oneof(
      fc.uuid(),
      fc.string({ minLength: 1 }).filter((text) => !/^\.+$/.test(text)),
      fc.constantFrom('%', '\u0000', 'x'.repeat(200)),
    );
    const input = fc.tuple(fc.constantFrom(...params), ids);
    const last = params.at(-1)?.name;
    await eachInput(operation, input, async ([{ name }, id]) => {
      const response = await send(shared().app, operation, world, { params: { [name]: id }, query, ...body });
      if (response.status !== 404) return `${response.status}: ${JSON.stringify(response.body)}`;
      const isWellFormed = UUID.test(id);
      return (
        answerFault(operation, schemas, response) ??
        (isWellFormed && name === last ? messageFault(operation, response) : null)
      );
    });
  }
});

it('a header is accepted, or refused with its name', async () => {
  for (const operation of operations) {
    const world = await worldFor(operation);
    const body =
      operation.body === null ? {} : { body: await ownNumber(exampleBody(operation, world), operation, world) };
    for (const { name } of parametersIn(operation, 'header')) {
      const text = fc.string({ unit: 'grapheme-ascii', maxLength: 300 });
      await eachInput(operation, text, async (value) => {
        const response = await send(shared().app, operation, world, {
          headers: { [name.toLowerCase()]: value },
          ...body,
        });
        if (response.status === 422 && !isNamed(response, '')) return JSON.stringify(response.body);
        return answerFault(operation, schemas, response);
      });
    }
  }
});

it('faults of key, scope, parameter, content type and body size get the documented failure', async () => {
  for (const operation of operations) {
    const world = await worldFor(operation);
    const expectStatus = async (request: ApiRequest, status: number, type: string): Promise<ApiResponse> => {
      const response = await send(shared().app, operation, world, request);
      expect([operation.name, response.status, answerFault(operation, schemas, response)]).toEqual([
        operation.name,
        status,
        null,
      ]);
      expect(response.body).toMatchObject({ data: null, status, error: { type, status } });
      return response;
    };
    const expectMessage = async (request: ApiRequest, status: number, type: string): Promise<void> => {
      expect([operation.name, messageFault(operation, await expectStatus(request, status, type))]).toEqual([
        operation.name,
        null,
      ]);
    };
    if (operation.needsKey) {
      await expectMessage({ key: '' }, 401, 'gateway_auth_error');
      await expectStatus({ key: 'key-of-an-organization-that-does-not-exist' }, 401, 'auth_error');
      if (!isReadable(operation)) await expectMessage({ key: READ_KEY }, 403, 'api_error');
    }
    const takesQuery = operation.body === null && operation.parameters.some((parameter) => parameter.in === 'query');
    if (takesQuery) {
      const required = operation.parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
      const query = Object.fromEntries(required.map(({ name }) => [name, 1]));
      await expectMessage({ query: { ...query, unexpected_field: 1 } }, 422, 'validation_error');
    }
    if (operation.body === null) continue;
    const headers = { 'content-type': 'text/plain' };
    await expectMessage({ headers, body: 'hello' }, 415, 'api_error');
    if (operation.body.contentType !== 'application/json') continue;
    await expectMessage({ body: 'x'.repeat(1_100_000) }, 413, 'api_error');
  }
});

it('every method that Node parses and the document does not give a path is 405 with the methods that it does', async () => {
  for (const [path, item] of Object.entries((await servedDocument(shared().app)).paths)) {
    const declared = Object.keys(item).map((method) => method.toUpperCase());
    const expected = [...declared, ...(declared.includes('GET') ? ['HEAD'] : [])].sort().join(', ');
    // Node closes the connection of a CONNECT.
    const others = METHODS.filter((method) => method !== 'CONNECT' && !expected.split(', ').includes(method));
    for (const method of others) {
      const url = path.replaceAll(/\{\w+\}/g, common.agents);
      // Before the key is checked, and before the body is read.
      const payload = method === 'GET' ? {} : { payload: '{', headers: { 'content-type': 'application/json' } };
      const { headers, statusCode } = await shared().app.inject({ method, url, ...payload });
      expect([method, path, statusCode, headers.allow]).toEqual([method, path, 405, expected]);
    }
  }
});

it.each(METHODS.filter((method) => method !== 'CONNECT'))('%s of an unknown path is 404', async (method) => {
  const { statusCode } = await shared().app.inject({ method, url: '/v1/nope' });
  expect(statusCode).toBe(404);
});
