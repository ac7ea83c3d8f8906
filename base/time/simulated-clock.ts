import type { Clock } from './clock.ts';

/** Bound on callbacks of one moment: a callback that plans another for the same moment would never end. */
const CALLBACKS_AT_ONE_TIME_MAX = 100_000;

interface PlannedCallback {
  readonly atUs: number;
  readonly callback: () => void;
}

/** A clock that its owner moves. Callbacks of one moment run in the order in which they were planned. */
export class SimulatedClock implements Clock {
  #us = 0;
  /** By time; the next one first. */
  readonly #planned: PlannedCallback[] = [];
  readonly #startedWallMs: number;

  constructor(startedWallMs = 0) {
    this.#startedWallMs = startedWallMs;
  }

  nowUs(): number {
    return this.#us;
  }

  /** `nowUs` in ms, not rounded. */
  nowMs(): number {
    return this.#us / 1_000;
  }

  wallMs(): number {
    return this.#startedWallMs + Math.floor(this.#us / 1000);
  }

  after(delayMs: number, callback: () => void): () => void {
    return this.at((this.#us + delayMs * 1000) / 1000, callback);
  }

  /** Calls back at a time in ms since the beginning. A time in the past means now. */
  at(atMs: number, callback: () => void): () => void {
    const one: PlannedCallback = { atUs: Math.max(this.#us, Math.round(atMs * 1000)), callback };
    const index = this.#planned.findIndex((other) => other.atUs > one.atUs);
    this.#planned.splice(index < 0 ? this.#planned.length : index, 0, one);
    return () => {
      const place = this.#planned.indexOf(one);
      if (place >= 0) this.#planned.splice(place, 1);
    };
  }

  /** Moves the time by `ms` and runs what becomes due on the way. */
  advance(ms: number): void {
    this.runUntil(this.nowMs() + ms);
  }

  /** Moves the time to `untilMs` and runs what becomes due on the way. */
  runUntil(untilMs: number): void {
    const untilUs = Math.round(untilMs * 1000);
    let atOneTime = 0;
    for (let next = this.#planned[0]; next !== undefined && next.atUs <= untilUs; next = this.#planned[0]) {
      atOneTime = next.atUs === this.#us ? atOneTime + 1 : 0;
      if (atOneTime > CALLBACKS_AT_ONE_TIME_MAX) throw new Error(`time stands still at ${this.#us} µs`);
      this.#planned.shift();
      this.#us = next.atUs;
      next.callback();
    }
    this.#us = Math.max(this.#us, untilUs);
  }

  /** Time of the next callback in ms since the beginning; null if none is planned. */
  get nextMs(): number | null {
    const [next] = this.#planned;
    return next === undefined ? null : next.atUs / 1000;
  }

  /** Number of planned callbacks. */
  get pending(): number {
    return this.#planned.length;
  }
}
