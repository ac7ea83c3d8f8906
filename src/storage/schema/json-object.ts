import type { JsonValue } from '../../../engine/ports/language-model.ts';

export type JsonObject = { readonly [key: string]: JsonValue };
