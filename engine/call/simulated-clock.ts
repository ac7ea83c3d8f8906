import type { Clock } from '../ports/clock.ts';

/** A callback that moves the time no further and plans another at once would never end. */
const CALLBACKS_AT_ONE_TIME_MAX = 100_000;

interface Planned {
  readonly atUs: number;
  readonly callback: () => void;
}

/** Time that passes only when told to. Callbacks of one moment run in the order in which they were planned. */
export class SimulatedClock implements Clock {
  private us = 0;
  /** The next one first. */
  private readonly planned: Planned[] = [];
  private readonly startedWallMs: number;

  constructor(startedWallMs = 0) {
    this.startedWallMs = startedWallMs;
  }

  nowUs(): number {
    return this.us;
  }

  wallMs(): number {
    return this.startedWallMs + Math.floor(this.us / 1000);
  }

  after(delayMs: number, callback: () => void): () => void {
    return this.at((this.us + delayMs * 1000) / 1000, callback);
  }

  /** Calls back at a time, in ms since the beginning; one that has passed is now. */
  at(atMs: number, callback: () => void): () => void {
    const one: Planned = { atUs: Math.max(this.us, Math.round(atMs * 1000)), callback };
    const index = this.planned.findIndex((other) => other.atUs > one.atUs);
    this.planned.splice(index < 0 ? this.planned.length : index, 0, one);
    return () => {
      const place = this.planned.indexOf(one);
      if (place >= 0) this.planned.splice(place, 1);
    };
  }

  /** Lets the time pass up to `untilMs`, callback after callback. */
  runUntil(untilMs: number): void {
    const untilUs = Math.round(untilMs * 1000);
    let atOneTime = 0;
    for (let next = this.planned[0]; next !== undefined && next.atUs <= untilUs; next = this.planned[0]) {
      atOneTime = next.atUs === this.us ? atOneTime + 1 : 0;
      if (atOneTime > CALLBACKS_AT_ONE_TIME_MAX) throw new Error(`time stands still at ${this.us} µs`);
      this.planned.shift();
      this.us = next.atUs;
      next.callback();
    }
    this.us = Math.max(this.us, untilUs);
  }

  /** When the next callback is due, in ms since the beginning; null where none is planned. */
  get nextMs(): number | null {
    const [next] = this.planned;
    return next === undefined ? null : next.atUs / 1000;
  }

  /** How many callbacks are still planned. */
  get pending(): number {
    return this.planned.length;
  }
}
