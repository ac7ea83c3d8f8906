import type { JsonValue } from '../agent/json-value.ts';
import type { VariableType } from '../agent/variable-schema.ts';

const YES = new Set(['true', 'yes', '1', 'on']);
const NO = new Set(['false', 'no', '0', 'off']);
/** Nested levels of arrays and objects, as for bodies of the API; no sensible value is deeper. */
const DEPTH_MAX = 64;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** The value in the declared type, or undefined if it cannot be converted. Null and empty text are no value. */
export function coerce(value: JsonValue | undefined, type: VariableType): JsonValue | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  switch (type) {
    case 'string':
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
    case 'number':
      return numberOf(value);
    case 'integer': {
      const number = numberOf(value);
      return number === undefined || !Number.isSafeInteger(number) ? undefined : number;
    }
    case 'boolean':
      return booleanOf(value);
    case 'date':
      return dateOf(value);
    case 'datetime':
      return typeof value === 'string' && Number.isFinite(Date.parse(value)) ? value : undefined;
    case 'object':
      return objectOf(value);
    case 'array':
      return arrayOf(value);
  }
}

function numberOf(value: JsonValue): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

function booleanOf(value: JsonValue): boolean | undefined {
  // `String(value)` throws for an object with a field `toString`.
  if (typeof value === 'object') return undefined;
  const text = String(value).trim().toLowerCase();
  if (YES.has(text)) return true;
  return NO.has(text) ? false : undefined;
}

function dateOf(value: JsonValue): string | undefined {
  if (typeof value !== 'string') return undefined;
  const day = value.trim().slice(0, 10);
  if (!DATE.test(day)) return undefined;
  const time = Date.parse(`${day}T00:00:00Z`);
  // Date.parse reads the 31st of February as the 2nd of March.
  return Number.isFinite(time) && new Date(time).toISOString().startsWith(day) ? day : undefined;
}

function objectOf(value: JsonValue): JsonValue | undefined {
  const object = parsedIfText(value);
  return object !== null && typeof object === 'object' && !Array.isArray(object) ? object : undefined;
}

function arrayOf(value: JsonValue): JsonValue | undefined {
  const array = parsedIfText(value);
  return Array.isArray(array) ? array : undefined;
}

function parsedIfText(value: JsonValue): JsonValue {
  return typeof value === 'string' ? (parseJson(value) ?? value) : value;
}

/** Undefined if the text is not JSON, or is nested deeper than `DEPTH_MAX`. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return isDeeper(value, DEPTH_MAX) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Works level by level: a model's JSON may be nested too deeply for recursion. */
function isDeeper(value: JsonValue, levels: number): boolean {
  let level: readonly JsonValue[] = [value];
  for (let depth = 0; depth <= levels; depth++) {
    level = level.flatMap((element) => (element !== null && typeof element === 'object' ? Object.values(element) : []));
  }
  return level.length > 0;
}
