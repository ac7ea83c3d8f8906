import type { CallEvent } from '../../core/event.ts';

/** Claims an event: called once, right before it is processed. False: its source has ended, and the event is dropped. */
export type Claim = () => boolean;

export type Post = (event: CallEvent, isStillWanted?: Claim) => void;

/** Processes the events of a call one after another. An event that is posted during processing waits in a queue. */
export class Inbox {
  readonly #waiting: { readonly event: CallEvent; readonly isStillWanted: Claim | undefined }[] = [];
  #processing = false;
  readonly #process: (event: CallEvent) => void;

  /** `process` must not throw. */
  constructor(process: (event: CallEvent) => void) {
    this.#process = process;
  }

  readonly post: Post = (event, isStillWanted) => {
    this.#waiting.push({ event, isStillWanted });
    if (this.#processing) return;
    this.#processing = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (next.isStillWanted === undefined || next.isStillWanted()) this.#process(next.event);
    }
    this.#processing = false;
  };
}
