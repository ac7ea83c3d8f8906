import type { Clock } from '../../base/time/clock.ts';
import type { TimerName } from '../core/timer.ts';
import type { Post } from './inbox/inbox.ts';

/** The named timers of a call. Stopping or restarting a timer also drops its event that already waits in the inbox. */
export class CallTimers {
  readonly #running = new Map<TimerName, { readonly cancel: () => void }>();
  readonly #clock: Clock;
  readonly #post: Post;

  constructor(clock: Clock, post: Post) {
    this.#clock = clock;
    this.#post = post;
  }

  start(timer: TimerName, delayMs: number): void {
    this.stop(timer);
    const handle = {
      cancel: this.#clock.after(delayMs, () => this.#post({ type: 'timer', timer }, () => this.#claim(timer, handle))),
    };
    this.#running.set(timer, handle);
  }

  stop(timer: TimerName): void {
    this.#running.get(timer)?.cancel();
    this.#running.delete(timer);
  }

  stopAll(): void {
    for (const timer of [...this.#running.keys()]) this.stop(timer);
  }

  #claim(timer: TimerName, handle: unknown): boolean {
    return this.#running.get(timer) === handle && this.#running.delete(timer);
  }
}
