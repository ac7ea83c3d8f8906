/**
 * Sends the messages of one step of the event loop together: one write to the channel instead of one for each message.
 * Their order stays.
 */
export class MessageBatch<Message> {
  readonly #post: (messages: readonly Message[]) => void;
  #waiting: Message[] = [];

  constructor(post: (messages: readonly Message[]) => void) {
    this.#post = post;
  }

  add(message: Message): void {
    if (this.#waiting.push(message) === 1) queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    const messages = this.#waiting;
    this.#waiting = [];
    this.#post(messages);
  }
}
