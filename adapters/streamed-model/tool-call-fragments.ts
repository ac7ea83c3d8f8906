import type { ModelToolCall } from '../../engine/ports/language-model.ts';

/** Characters of all the calls of one answer; more is a model that has lost itself. */
const CHARACTERS_MAX = 256 * 1024;
/** Calls in one answer. */
const CALLS_MAX = 64;

export interface ToolCallFragment {
  readonly index: number;
  /** Stand in a call's first fragment. */
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
 * Some compatible servers give whole parallel calls all the same index, or none: another id with a name is another call,
 * and without an id one whose arguments would follow arguments that are whole.
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

/** Merges the fragments of the tool calls of one answer, which come mixed. */
export class ToolCallFragments {
  readonly #makeId: () => string;
  readonly #calls: Growing[] = [];
  #characters = 0;

  /** `makeId` names the calls of servers that leave the id out; it must be unique in a conversation. */
  constructor(makeId: () => string) {
    this.#makeId = makeId;
  }

  get count(): number {
    return this.#calls.length;
  }

  /** False: the fragment belongs to no call, or a bound is passed. */
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

  /** The calls so far, in the order in which they began. A function without parameters may come without arguments. */
  calls(): readonly ModelToolCall[] {
    return this.#calls.map((call) => ({ id: call.id, name: call.name, arguments: call.arguments || '{}' }));
  }
}
