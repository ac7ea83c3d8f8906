import type { Clock } from '../../base/time/clock.ts';
import type { CallControl, CallControlEvent } from '../../engine/ports/call-control.ts';

/** A leg without telephony: every call is answered at once and every transfer succeeds. */
export class TextControl implements CallControl {
  readonly #clock: Clock;
  #listener: (event: CallControlEvent) => void = () => {};
  #hasEnded = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  answer(): void {
    this.#later({ type: 'answered' });
  }

  hangUp(): void {
    this.#later({ type: 'ended', cause: 'local_bye' });
  }

  transfer(): void {
    this.#later({ type: 'transfer_succeeded' });
  }

  onEvent(listener: (event: CallControlEvent) => void): void {
    this.#listener = listener;
  }

  /** The user hangs up. */
  userHangsUp(): void {
    this.#emit({ type: 'ended', cause: 'remote_bye' });
  }

  #later(event: CallControlEvent): void {
    this.#clock.after(0, () => this.#emit(event));
  }

  #emit(event: CallControlEvent): void {
    if (this.#hasEnded) return;
    this.#hasEnded = event.type === 'ended';
    this.#listener(event);
  }
}
