import { beforeAll, expect, it } from 'vitest';
import { ADMIN_KEY, OTHER_KEY, sharedApi } from '../test-api.ts';
import { send } from './api-request.ts';
import { type Operation, operationsOf, type Schema, Schemas, servedDocument } from './served-document.ts';
import { createWorld, resourceOfField, type World } from './world.ts';

const shared = sharedApi({ rateLimits: { perMinute: 1_000_000, perHour: 1_000_000 } });
let operations: readonly Operation[];
let schemas: Schemas;
let theirs: World;

beforeAll(async () => {
  const document = await servedDocument(shared().app);
  operations = operationsOf(document).filter(({ needsKey }) => needsKey);
  schemas = new Schemas(document);
  theirs = await createWorld(shared());
});

function pathParameters(operation: Operation) {
  return operation.parameters.filter((parameter) => parameter.in === 'path');
}

/** Each request adds a record to it. An organization sees its own: `routes/audit-log.test.ts`. */
const AUDIT_LOG = '/v1/audit-log';

/** All resources of a world that its organization can read. */
async function snapshot(): Promise<unknown> {
  const reads = operations.filter(
    ({ method, path }) => method === 'GET' && !path.endsWith('/events') && path !== AUDIT_LOG,
  );
  const snapshots = [];
  for (const operation of reads) {
    const { body } = await send(shared().app, operation, theirs, { key: ADMIN_KEY });
    snapshots.push([
      operation.name,
      JSON.parse(JSON.stringify(body, (name, value) => (name === 'recording_url' ? '' : value))),
    ]);
  }
  return snapshots;
}

it('every request of another organization on a resource is 404 and changes nothing', async () => {
  const before = await snapshot();
  const resourceOperations = operations.filter((operation) => pathParameters(operation).length > 0);
  expect(resourceOperations.length).toBeGreaterThan(25);
  for (const operation of resourceOperations) {
    const body = operation.body === null ? {} : { body: operation.body.example };
    const query = Object.fromEntries(
      operation.parameters.flatMap(({ in: place, name, required }) =>
        place === 'query' && required ? [[name, 1]] : [],
      ),
    );
    const response = await send(shared().app, operation, theirs, { key: OTHER_KEY, query, ...body });
    expect([operation.name, response.status, response.body]).toEqual([
      operation.name,
      404,
      expect.objectContaining({ data: null, error: expect.objectContaining({ type: 'http_error', details: null }) }),
    ]);
  }
  expect(await snapshot()).toEqual(before);
  expect(shared().callService.terminated).toEqual([]);
  expect(shared().callService.posted).toEqual([]);
});

/** Their rows are beside the range. */
const ROLLUPS = /\/(?:analytics\/[a-z-]+|usage)$/;

it('no list shows resources of another organization, under any filter', async () => {
  const ids = Object.values(theirs);
  const lists = operations.filter(
    // An organization has its own keys (`routes/api-keys.test.ts`), settings are the operator's, and a stream has no end.
    (operation) =>
      operation.method === 'GET' &&
      pathParameters(operation).length === 0 &&
      operation.path !== AUDIT_LOG &&
      !/\/(?:api-keys|current|events|settings)$/.test(operation.path),
  );
  expect(lists.length).toBeGreaterThan(4);
  for (const operation of lists) {
    const filters = operation.parameters.filter(({ schema }) => schema.format === 'uuid').map(({ name }) => name);
    const queries = [{}, ...filters.flatMap((name) => ids.map((id) => ({ [name]: id })))];
    for (const query of queries) {
      const response = await send(shared().app, operation, theirs, { key: OTHER_KEY, query });
      expect([operation.name, query, response.body]).toEqual([
        operation.name,
        query,
        expect.objectContaining({ data: ROLLUPS.test(operation.path) ? expect.objectContaining({ rows: [] }) : [] }),
      ]);
    }
  }
});

interface Reference {
  readonly field: string;
  readonly path: readonly string[];
}

/** Fields of a body that refer to a resource by id. */
function referencesIn(referring: Schema, path: readonly string[] = []): Reference[] {
  const schema = schemas.resolved(referring);
  const properties = Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    referencesIn(property, [...path, name]),
  );
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((choice) => referencesIn(choice, path));
  const items = schema.items === undefined ? [] : referencesIn(schema.items, [...path, '[]']);
  const field = path.findLast((part) => part !== '[]');
  return [
    ...properties,
    ...choices,
    ...items,
    ...(schema.format === 'uuid' && field !== undefined ? [{ field, path }] : []),
  ];
}

/** The example. A missing field at the start of the path is taken from the created resource. */
function exampleWith(field: string, { body, path }: Operation): unknown {
  const created = operations.find(({ name }) => name === `POST ${path.replace(/\/\{\w+\}$/, '')}`)?.body?.example;
  const fields = Object.entries(created ?? {}).filter(([name]) => name === field);
  return { ...Object.fromEntries(fields), ...(body?.example ?? {}) };
}

/** The example with ids of resources of its own organization. */
function ownIds(example: unknown, ours: World): unknown {
  return JSON.parse(JSON.stringify(example), (name, value) => {
    const isReference = typeof value === 'string' && /^[0-9a-f-]{36}$/.test(value) && name.endsWith('_id');
    const resource = isReference ? resourceOfField(name) : null;
    return resource === null ? value : ours[resource];
  });
}

/** The example with an id at the path. Missing parents are created. */
function withId(value: unknown, [part, ...rest]: readonly string[], id: string): unknown {
  if (part === undefined) return id;
  if (part === '[]') {
    const [first = {}, ...others] = Array.isArray(value) ? value : [];
    return [withId(first, rest, id), ...others];
  }
  const object = typeof value === 'object' && value !== null ? value : {};
  return { ...object, [part]: withId(Object.entries(object).find(([name]) => name === part)?.[1], rest, id) };
}

it('a body that refers to a resource of another organization is refused', async () => {
  const ours = await createWorldOfOther();
  const checkedFields = new Set<string>();
  for (const operation of operations) {
    if (operation.body === null) continue;
    for (const { field, path } of referencesIn(operation.body.schema)) {
      const resource = resourceOfField(field);
      // Source ids of other knowledge bases are ignored; those sources are kept.
      if (resource === null || resource === 'sources') continue;
      checkedFields.add(field);
      const body = withId(ownIds(exampleWith(path[0] ?? '', operation), ours), path, theirs[resource]);
      const response = await send(shared().app, operation, ours, { key: OTHER_KEY, body });
      expect([operation.name, path, response.status]).toEqual([operation.name, path, 422]);
      expect(JSON.stringify(response.body)).toContain(
        field === 'agent_id' && operation.path.endsWith('phone') ? 'from_number' : field,
      );
    }
  }
  expect([...checkedFields].sort()).toEqual(['agent_id', 'inbound_agent_id', 'knowledge_base_ids', 'trunk_id']);
});

async function createWorldOfOther(): Promise<World> {
  const api = shared();
  return createWorld({ ...api, ask: (method, url, payload) => api.ask(method, url, payload, OTHER_KEY) }, OTHER_KEY);
}
