import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, expect, test } from 'vitest';
import { sharedApi } from '../test-api.ts';
import {
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

test('the document is valid OpenAPI 3.1', async () => {
  const { errors = [], valid } = await new Validator().validate(structuredClone({ ...document }));
  expect([errors, valid]).toEqual([[], true]);
});

test('every operation has a unique id, a summary, and valid examples of its body and of each response', () => {
  expect(new Set(operations.map(({ documented }) => documented.operationId)).size).toBe(operations.length);
  const faults: string[] = [];
  for (const { body, documented, name, responses } of operations) {
    if (documented.operationId === undefined || documented.summary === undefined)
      faults.push(`${name}: no id or summary`);
    if (body !== null && body.example === undefined) faults.push(`${name}: no example of a body`);
    const media = Object.entries(responses).flatMap(([status, { content = {}, description }]) => {
      if (description === '' || description === 'Default Response') faults.push(`${name}: ${status} says nothing`);
      return Object.entries(content).flatMap(([type, media]) =>
        type === 'application/json' ? [{ status, ...media }] : [],
      );
    });
    for (const { example, schema, status } of [...media, ...(body === null ? [] : [{ ...body, status: 'body' }])]) {
      const fault = example === undefined ? 'no example' : schemas.faultOf(schema, example);
      if (fault !== null) faults.push(`${name} ${status}: ${fault}`);
    }
  }
  expect(faults).toEqual([]);
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
  const inputs = Object.entries(document.components.schemas).filter(([name]) => name.endsWith('Input'));
  return [...bodies, ...inputs.flatMap(([name, schema]) => fieldsOf(schema, name))];
}

function allFields(): Field[] {
  const components = Object.entries(document.components.schemas)
    .filter(([name]) => !name.startsWith('event_'))
    .flatMap(([name, schema]) => fieldsOf(schema, name));
  const answers = operations.flatMap(({ name, responses }) =>
    Object.entries(responses).flatMap(([status, { content = {} }]) =>
      Object.values(content).flatMap(({ schema }) => fieldsOf(schema, `${name} ${status}`)),
    ),
  );
  return [...components, ...answers, ...requestFields()];
}

test('every field and every parameter is described', () => {
  const fields = allFields();
  expect(fields.length).toBeGreaterThan(400);
  // The schema and the operation describe `data` of an envelope.
  const undescribed = fields.filter(
    ({ place, schema }) =>
      !/ \d{3}\.data$/.test(place) && (schema.description ?? schemas.resolved(schema).description ?? '') === '',
  );
  const parameters = operations.flatMap(({ name, parameters: operationParameters }) =>
    operationParameters
      .filter(({ description = '' }) => description === '')
      .map((parameter) => `${name} ${parameter.in} ${parameter.name}`),
  );
  expect([...new Set(undescribed.map(({ place }) => place)), ...parameters]).toEqual([]);
});

test('every text, number and list of a request has bounds, and every number a unit', () => {
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
