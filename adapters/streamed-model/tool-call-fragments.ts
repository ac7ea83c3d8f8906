import type { ModelToolCall } from '../../engine/ports/language-model.ts';

/** Bound of characters in all tool calls of one response; a model that exceeds it is looping. */
const CHARACTERS_MAX = 256 * 1024;
/** Bound of tool calls in one response. */
const CALLS_MAX = 64;

export interface ToolCallFragment {
  readonly index: number;
  /** Present in a call's first fragment. */
  readonly id?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly arguments?: string | null | undefined;
}

interface Growing {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  arguments: string;
}

/**
 * Some compatible servers send parallel calls with the same index or none. A new id with a name then starts another call. Without
 * an id, arguments after complete arguments do.
 */
function isAnother(growing: Growing, name: string, id: string | null | undefined, text: string): boolean {
  if (name === '') return false;
  return id ? id !== growing.id : name !== growing.name || (text !== '' && isWhole(growing.arguments));
}

function isWhole(json: string): boolean {
  try {
    return json.startsWith('{') && JSON.parse(json) !== null;
  } catch {
    return false;
  }
}

/** Merges the interleaved fragments of the tool calls of one response. */
export class ToolCallFragments {
  readonly #makeId: () => string;
  readonly #calls: Growing[] = [];
  #characters = 0;

  /** `makeId` makes ids for servers that send none; they must be unique in a conversation. */
  constructor(makeId: () => string) {
    this.#makeId = makeId;
  }

  get count(): number {
    return this.#calls.length;
  }

  /** False if the fragment belongs to no call or exceeds a bound. */
  add(fragment: ToolCallFragment): boolean {
    const { id, index } = fragment;
    const name = fragment.name ?? '';
    const text = fragment.arguments ?? '';
    this.#characters += text.length;
    if (this.#characters > CHARACTERS_MAX) return false;
    const growing = this.#calls.findLast((call) => call.index === index);
    if (growing !== undefined && !isAnother(growing, name, id, text)) {
      growing.arguments += text;
      return true;
    }
    if (name === '' || this.#calls.length === CALLS_MAX) return false;
    this.#calls.push({ index, id: id || this.#makeId(), name, arguments: text });
    return true;
  }

  /** The calls so far, in the order of their first fragments. A function without parameters may have no arguments. */
  calls(): readonly ModelToolCall[] {
    return this.#calls.map((call) => ({ id: call.id, name: call.name, arguments: call.arguments || '{}' }));
  }
}
