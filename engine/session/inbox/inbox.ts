import type { CallEvent } from '../../core/event.ts';

/** False: the source of the event has ended, and the event is dropped. Called once, before the event is processed. */
export type Claim = () => boolean;

export type Post = (event: CallEvent, claim?: Claim) => void;

/**
 * The order in which things happen to a call: one event at a time, never one inside another. What is posted while an
 * event is being taken waits behind it.
 */
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
