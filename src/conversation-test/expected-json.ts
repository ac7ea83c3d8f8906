import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { JsonValue } from '../../engine/agent/json-value.ts';

export const jsonValueSchema: z.ZodType<JsonValue> = z.json();
export const jsonObjectSchema = z.record(z.string(), jsonValueSchema);
export type TestJsonObject = z.output<typeof jsonObjectSchema>;

/** Whether the actual value contains every field of the expected one at every depth. Other values must be equal. */
export function includesValue(actual: JsonValue | undefined, expected: JsonValue): boolean {
  if (!isObject(expected) || !isObject(actual)) return isDeepStrictEqual(actual, expected);
  return Object.entries(expected).every(([name, value]) => includesValue(own(actual, name), value));
}

function isObject(value: JsonValue | undefined): value is TestJsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(object: TestJsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
