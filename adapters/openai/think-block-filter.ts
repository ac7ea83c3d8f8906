const OPENING = '<think>';
const CLOSING = '</think>';

/**
 * Removes the thoughts at the beginning of a response. Models such as Qwen and DeepSeek send them as text between two
 * marks, unless the server separates them (a reasoning parser in vLLM and SGLang). Groq's «raw» format does the same
 * (https://console.groq.com/docs/reasoning). Later marks belong to the response.
 */
export class ThinkBlockFilter {
  #place: 'before' | 'within' | 'after' = 'before';
  /** Before: text that may become the opening mark. Within: text that may become the closing mark. */
  #kept = '';

  /** The speakable part of the response's next piece. */
  take(text: string): string {
    if (this.#place === 'before') return this.#beforeBlock(text);
    return this.#place === 'within' ? this.#withinBlock(text) : text;
  }

  /** The response is complete: text kept at its beginning was not a mark. */
  rest(): string {
    return this.#place === 'before' ? this.#kept : '';
  }

  #beforeBlock(text: string): string {
    const begun = this.#kept + text;
    const trimmed = begun.trimStart();
    this.#kept = begun;
    if (trimmed.startsWith(OPENING)) {
      this.#place = 'within';
      this.#kept = '';
      return this.#withinBlock(trimmed.slice(OPENING.length));
    }
    if (OPENING.startsWith(trimmed)) return '';
    this.#place = 'after';
    return begun;
  }

  #withinBlock(text: string): string {
    const thought = this.#kept + text;
    const at = thought.indexOf(CLOSING);
    this.#kept = thought.slice(1 - CLOSING.length);
    if (at === -1) return '';
    this.#place = 'after';
    return thought.slice(at + CLOSING.length);
  }
}
