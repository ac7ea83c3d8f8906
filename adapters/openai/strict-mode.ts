import type { JsonValue } from '../../engine/agent/json-value.ts';
import type { JsonSchema } from '../../engine/ports/language-model.ts';

/**
 * In strict mode the model follows the schema exactly. The provider refuses schemas outside its subset: every object
 * must forbid additional properties and require all of its own
 * (https://platform.openai.com/docs/guides/structured-outputs). Other schemas are sent without strict mode.
 */
export function fitsStrictMode(schema: JsonSchema): boolean {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  if (types.includes('object')) {
    const properties = schema.properties;
    if (schema.additionalProperties !== false || !isSchema(properties)) return false;
    const required = Array.isArray(schema.required) ? schema.required : [];
    if (!Object.keys(properties).every((name) => required.includes(name))) return false;
    if (!Object.values(properties).every((property) => isSchema(property) && fitsStrictMode(property))) return false;
  }
  if (types.includes('array') && !(isSchema(schema.items) && fitsStrictMode(schema.items))) return false;
  const alternatives = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  if (!alternatives.every((alternative) => isSchema(alternative) && fitsStrictMode(alternative))) return false;
  // A schema without a type allows anything; strict mode refuses it.
  return (
    schema.type !== undefined || alternatives.length > 0 || Array.isArray(schema.enum) || schema.const !== undefined
  );
}

function isSchema(value: JsonValue | undefined): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
