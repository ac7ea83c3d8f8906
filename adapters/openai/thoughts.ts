const OPENING = '<think>';
const CLOSING = '</think>';

/**
 * Takes the thoughts off an answer that begins with them: what models such as Qwen and DeepSeek think comes as text between
 * two marks, unless the server keeps it apart (vLLM and SGLang by a reasoning parser), and from Groq by itself
 * (https://console.groq.com/docs/reasoning, «raw»). Marks further on are the answer's own.
 */
export class Thoughts {
  #where: 'before' | 'within' | 'behind' = 'before';
  /** Before: what may become the opening mark. Within: what may become the closing one. */
  #kept = '';

  /** What is to be said of the answer's next piece. */
  take(text: string): string {
    if (this.#where === 'before') return this.#begin(text);
    return this.#where === 'within' ? this.#think(text) : text;
  }

  /** The answer is whole: what was kept back of it is none of a mark. */
  rest(): string {
    return this.#where === 'before' ? this.#kept : '';
  }

  #begin(text: string): string {
    const begun = this.#kept + text;
    const trimmed = begun.trimStart();
    this.#kept = begun;
    if (trimmed.startsWith(OPENING)) {
      this.#where = 'within';
      this.#kept = '';
      return this.#think(trimmed.slice(OPENING.length));
    }
    if (OPENING.startsWith(trimmed)) return '';
    this.#where = 'behind';
    return begun;
  }

  #think(text: string): string {
    const thought = this.#kept + text;
    const at = thought.indexOf(CLOSING);
    this.#kept = thought.slice(1 - CLOSING.length);
    if (at === -1) return '';
    this.#where = 'behind';
    return thought.slice(at + CLOSING.length);
  }
}
