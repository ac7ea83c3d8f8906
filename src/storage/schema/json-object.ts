import type { JsonValue } from '../../../engine/agent/json-value.ts';

export type JsonObject = { readonly [key: string]: JsonValue };
