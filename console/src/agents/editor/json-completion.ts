import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { parsedJson, SERVICE_FIELDS } from '../document/agent-document.ts';
import { valueAt } from '../document/document-edit.ts';
import { type JsonPlace, jsonPlaceAt } from '../document/json-place.ts';
import { descriptionAt, fieldsAt, type Suggestion, valuesAt } from '../document/schema-fields.ts';

/** Of an editor that is written in, or of one that is pointed at. */
interface Asked {
  readonly content: string;
  readonly pos: number;
}

/** The name of a field and its meaning. */
interface Explanation extends Pick<JsonPlace, 'from' | 'to'> {
  readonly description: string;
}

/**
 * Completes and explains fields and values of an agent from the API's own description, which `load` reads once. The first reader of
 * the service waits a second or more for it, so `prepare` asks before the first key. After a failure nothing is completed, and the next
 * key asks again. null: the service serves no description.
 */
export function agentSchema(load: () => Promise<unknown>) {
  let loaded: Promise<unknown> | null = null;
  const prepare = () => {
    loaded ??= load().catch(() => {
      loaded = null;
      return null;
    });
    return loaded;
  };
  const placed = async ({ content, pos }: Asked) => {
    const place = jsonPlaceAt(content, pos);
    if (place === null) return null;
    const api = await prepare();
    return { api, place, root: valueAt(api, ['components', 'schemas', 'CreateAgentRequest']) };
  };
  return {
    prepare,
    complete: async ({ state, pos, explicit }: CompletionContext): Promise<CompletionResult | null> => {
      const content = state.doc.toString();
      const found = await placed({ content, pos });
      // Where nothing is written yet, only Ctrl+Space asks.
      if (found === null || (found.place.from === found.place.to && !explicit)) return null;
      const { api, place, root } = found;
      const find = place.kind === 'field' ? fieldsAt : valuesAt;
      const suggestions = find(api, root, place.document, place.path);
      const isQuoted = content[place.from] === '"';
      return {
        from: place.from,
        to: place.to,
        options: suggestions
          .filter(({ label }) => !SERVICE_FIELDS.includes(label))
          .map((suggestion) => optionOf(suggestion, place, isQuoted)),
      };
    },
    explain: async (asked: Asked): Promise<Explanation | null> => {
      const found = await placed(asked);
      if (found === null || found.place.kind !== 'field') return null;
      const { api, place, root } = found;
      const name = parsedJson(asked.content.slice(place.from, place.to));
      if (typeof name !== 'string') return null;
      const description = descriptionAt(api, root, place.document, [...place.path, name]);
      return description === '' ? null : { from: place.from, to: place.to, description };
    },
  };
}

function optionOf({ label, description }: Suggestion, { kind, hasColon }: JsonPlace, isQuoted: boolean): Completion {
  const apply = kind === 'field' && !hasColon ? `"${label}": ` : `"${label}"`;
  return { label: isQuoted ? `"${label}"` : label, displayLabel: label, info: description, apply };
}
