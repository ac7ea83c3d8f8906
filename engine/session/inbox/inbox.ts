import type { CallEvent } from '../../core/event.ts';

/** Called once, right before the event is processed. False: its source has ended, and the event is dropped. */
export type Claim = () => boolean;

export type Post = (event: CallEvent, claim?: Claim) => void;

/** Processes the events of a call one after another. An event that is posted during processing waits in a queue. */
export class Inbox {
  readonly #waiting: { readonly event: CallEvent; readonly claim: Claim | undefined }[] = [];
  #taking = false;
  readonly #take: (event: CallEvent) => void;

  /** `take` must not throw. */
  constructor(take: (event: CallEvent) => void) {
    this.#take = take;
  }

  readonly post: Post = (event, claim) => {
    this.#waiting.push({ event, claim });
    if (this.#taking) return;
    this.#taking = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (next.claim === undefined || next.claim()) this.#take(next.event);
    }
    this.#taking = false;
  };
}
