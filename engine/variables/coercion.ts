import type { VariableType } from '../agent/agent.ts';
import type { JsonValue } from '../agent/json-value.ts';

const YES = new Set(['true', 'yes', '1', 'on']);
const NO = new Set(['false', 'no', '0', 'off']);
/** Levels of arrays and objects, as in bodies of the API: deeper than anything that is meant. */
const DEPTH_MAX = 64;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** The value in the declared type, or undefined where it cannot be one. Null and empty text are no value. */
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
  const number = Number(value.trim());
  return Number.isFinite(number) ? number : undefined;
}

function booleanOf(value: JsonValue): boolean | undefined {
  if (typeof value === 'boolean') return value;
  // One with a field `toString` cannot even be made a text.
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
  // Date.parse takes the 31st of February as the 2nd of March.
  return Number.isFinite(time) && new Date(time).toISOString().startsWith(day) ? day : undefined;
}

function objectOf(value: JsonValue): JsonValue | undefined {
  const found = parsed(value);
  return found !== null && typeof found === 'object' && !Array.isArray(found) ? found : undefined;
}

function arrayOf(value: JsonValue): JsonValue | undefined {
  const found = parsed(value);
  return Array.isArray(found) ? found : undefined;
}

function parsed(value: JsonValue): JsonValue {
  return typeof value === 'string' ? (parseJson(value) ?? value) : value;
}

/** Undefined where the text is no JSON, or is nested so deep that it could not be written as one again. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return isDeeper(value, DEPTH_MAX) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Level by level: what a model wrote may be nested deeper than the stack. */
function isDeeper(value: JsonValue, levels: number): boolean {
  let level: readonly JsonValue[] = [value];
  for (let depth = 0; depth <= levels && level.length > 0; depth++) {
    level = level.flatMap((one) => (one !== null && typeof one === 'object' ? Object.values(one) : []));
  }
  return level.length > 0;
}
