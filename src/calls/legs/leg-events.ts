import type { CallControlEvent } from '../../../engine/ports/call-control.ts';

/** The events of one leg. Events before the listener are kept in order; no event follows `ended`. */
export class LegEvents {
  #listener: ((event: CallControlEvent) => void) | null = null;
  #kept: CallControlEvent[] = [];
  #ended = false;

  get ended(): boolean {
    return this.#ended;
  }

  listen(listener: (event: CallControlEvent) => void): void {
    this.#listener = listener;
    const kept = this.#kept;
    this.#kept = [];
    for (const event of kept) listener(event);
  }

  emit(event: CallControlEvent): void {
    if (this.#ended) return;
    if (event.type === 'ended') this.#ended = true;
    if (this.#listener === null) this.#kept.push(event);
    else this.#listener(event);
  }
}
