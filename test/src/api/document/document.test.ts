import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, expect, it } from 'vitest';
import { WEBHOOK_EVENT_TYPES } from '../../../../src/storage/events/webhook-event.ts';
import { sharedApi } from '../test-api.ts';
import {
  examplesOf,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  type Schema,
  Schemas,
  servedDocument,
} from './served-document.ts';

/** Matches the unit or the range in the description of a number. */
const UNIT = /[Ss]econds?|\btimes\b|[Cc]hecks|[Dd]igits|\bunits\b|[Cc]alls|\d to \d|the lowest first/;

const shared = sharedApi();
let document: OpenApiDocument;
let operations: readonly Operation[];
let schemas: Schemas;

beforeAll(async () => {
  document = await servedDocument(shared().app);
  operations = operationsOf(document);
  schemas = new Schemas(document);
});

it('the document is valid OpenAPI 3.1', async () => {
  const { errors = [], valid } = await new Validator().validate(structuredClone({ ...document }));
  expect([errors, valid]).toEqual([[], true]);
});

it('every operation has a unique id, a summary, and valid examples of its body and of each response', () => {
  expect(new Set(operations.map(({ documented }) => documented.operationId)).size).toBe(operations.length);
  const faults: string[] = [];
  for (const { body, documented, name, responses } of operations) {
    if (documented.operationId === undefined || documented.summary === undefined)
      faults.push(`${name}: no id or summary`);
    const media = Object.entries(responses).flatMap(([status, { content = {}, description }]) => {
      if (description === '' || description === 'Default Response') faults.push(`${name}: ${status} says nothing`);
      return Object.entries(content).flatMap(([type, media]) =>
        type === 'application/json' ? [{ status, ...media }] : [],
      );
    });
    for (const { status, ...shown } of [...media, ...(body === null ? [] : [{ ...body, status: 'body' }])]) {
      const examples = examplesOf(shown);
      if (examples.length === 0) faults.push(`${name} ${status}: no example`);
      for (const example of examples) {
        const fault = schemas.faultOf(shown.schema, example);
        if (fault !== null) faults.push(`${name} ${status}: ${fault}`);
      }
    }
  }
  expect(faults).toEqual([]);
});

it('every webhook has an id, a described tag and a valid example', () => {
  const faults = Object.entries(document.webhooks).flatMap(([kind, { post }]) => {
    const media = post.requestBody?.content['application/json'];
    const [example, ...others] = media === undefined ? [] : examplesOf(media);
    const fault = media === undefined ? 'no body' : schemas.faultOf(media.schema, example);
    const isNamed = post.operationId === kind && post.tags?.[0] === 'Webhooks';
    return fault === null && isNamed && others.length === 0 ? [] : [`${kind}: ${fault}`];
  });
  expect(faults).toEqual([]);
  expect(Object.keys(document.webhooks)).toEqual(['inbound_call_lookup', ...WEBHOOK_EVENT_TYPES]);
});

it('every operation is in one section that the document describes', () => {
  const sections = document.tags.map(({ name }) => [name]);
  expect(new Set(sections.flat()).size).toBe(sections.length);
  expect(operations.filter(({ documented }) => !sections.some(([name]) => documented.tags?.join() === name))).toEqual(
    [],
  );
});

/** Serialized parts of the document that clients would generate again for each place: schemas with own fields, and responses. */
function partsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, child]) => (key === 'examples' ? [] : partsOf(child)));
  const isPart = ('properties' in value && 'type' in value) || ('description' in value && 'content' in value);
  return isPart ? [JSON.stringify(value), ...inner] : inner;
}

it('no object schema and no failure response is written twice', async () => {
  const served: unknown = (await shared().app.inject('/openapi.json')).json();
  const parts = partsOf(served);
  expect(parts.length).toBeGreaterThan(100);
  const isFailure = (part: string) => part.includes('"#/components/schemas/Failure"') || part.includes('"properties"');
  expect(parts.filter((part, index) => isFailure(part) && parts.indexOf(part) !== index)).toEqual([]);
});

interface Field {
  readonly place: string;
  readonly schema: Schema;
}

/** Every field of a schema. Referenced schemas are visited once, under their own name. */
function fieldsOf(schema: Schema, place: string): Field[] {
  const named = Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    place: `${place}.${name}`,
    schema: property,
  }));
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  return [
    ...named,
    ...named.flatMap((field) => fieldsOf(field.schema, field.place)),
    ...alternatives.flatMap((alternative) => fieldsOf(alternative, place)),
    ...(schema.items === undefined ? [] : fieldsOf(schema.items, `${place}[]`)),
    ...(typeof schema.additionalProperties === 'object' ? fieldsOf(schema.additionalProperties, `${place}{}`) : []),
  ];
}

function requestFields(): Field[] {
  const bodies = operations.flatMap(({ body, name }) => (body === null ? [] : fieldsOf(body.schema, name)));
  const names = new Set(operations.flatMap(({ body }) => (body === null ? [] : [...schemas.namesIn(body.schema)])));
  const inputs = Object.entries(document.components.schemas).filter(([name]) => names.has(name));
  return [...bodies, ...inputs.flatMap(([name, schema]) => fieldsOf(schema, name))];
}

function allFields(): Field[] {
  const components = Object.entries(document.components.schemas).flatMap(([name, schema]) => fieldsOf(schema, name));
  const answers = operations.flatMap(({ name, responses }) =>
    Object.entries(responses).flatMap(([status, { content = {} }]) =>
      Object.values(content).flatMap(({ schema }) => fieldsOf(schema, `${name} ${status}`)),
    ),
  );
  return [...components, ...answers, ...requestFields()];
}

it('every field and every parameter is described', () => {
  const fields = allFields();
  expect(fields.length).toBeGreaterThan(400);
  const undescribed = fields.filter(
    ({ schema }) => (schema.description ?? schemas.resolved(schema).description ?? '') === '',
  );
  const parameters = operations.flatMap(({ name, parameters: operationParameters }) =>
    operationParameters
      .filter(({ description = '' }) => description === '')
      .map((parameter) => `${name} ${parameter.in} ${parameter.name}`),
  );
  expect([...new Set(undescribed.map(({ place }) => place)), ...parameters]).toEqual([]);
});

it('every text, number and list of a request has bounds, and every number a unit', () => {
  const faults = requestFields().flatMap(({ place, schema }) => {
    const response = schema.description ?? '';
    return boundFaults(schema)
      .map((fault) => `${place}: ${fault}`)
      .concat(isNumeric(schema) && !UNIT.test(response) ? [`${place}: no unit`] : []);
  });
  expect([...new Set(faults)]).toEqual([]);
});

function isNumeric({ anyOf = [], type }: Schema): boolean {
  return type === 'number' || type === 'integer' || anyOf.some(isNumeric);
}

function boundFaults(schema: Schema): string[] {
  const {
    anyOf = [],
    enum: values,
    const: only,
    format,
    items,
    maxItems,
    maxLength,
    maximum,
    minimum,
    oneOf = [],
    pattern,
    type,
  } = schema;
  const inner = [...anyOf, ...oneOf, ...(items === undefined ? [] : [items])].flatMap(boundFaults);
  if (values !== undefined || only !== undefined) return inner;
  const types = typeof type === 'string' ? [type] : (type ?? []);
  const isBounded = format !== undefined || maxLength !== undefined || pattern?.endsWith('$') === true;
  return [
    ...inner,
    ...(types.includes('string') && !isBounded ? ['a text without a bound'] : []),
    ...(types.includes('array') && maxItems === undefined ? ['a list without a bound'] : []),
    ...((types.includes('integer') || types.includes('number')) && (minimum === undefined || maximum === undefined)
      ? ['a number without bounds']
      : []),
  ];
}
