/** Characters kept of the end of a response: more than its last line. */
const TAIL_CHARACTERS = 64;
const DONE_LINE = /(^|\n)data: ?\[DONE\]/;

/** A response of the connection pool. */
export class PooledResponse extends Response {
  #tail = '';

  /**
   * Its last event was `[DONE]`, the end of chat completions. The SDK ends its iteration in the same way if the server
   * only closes the response.
   */
  get isDone(): boolean {
    return DONE_LINE.test(this.#tail);
  }

  /** Called with each piece of the body, in order. */
  received(piece: Buffer): void {
    const end = piece.toString('latin1', Math.max(piece.length - TAIL_CHARACTERS, 0));
    this.#tail = (this.#tail + end).slice(-TAIL_CHARACTERS);
  }
}

/** The connection was lost during a response, or the response exceeded its bound. */
export class ResponseLostError extends Error {
  constructor(cause: Error) {
    super('the response ended before its end', { cause });
    this.name = 'ResponseLostError';
  }
}
