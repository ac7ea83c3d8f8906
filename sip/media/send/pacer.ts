/** Packets are sent every 20 ms (the default of RFC 3551 §4.2). Each call has one of twenty slots of 1 ms. */
export const PACKET_INTERVAL_MS = 20;
/** A packet that is more than two frames late is skipped, so that no burst follows a stall. */
const LATE_MS_MAX = 2 * PACKET_INTERVAL_MS;

export interface PacerListener {
  /** The call's packet is due; it was due `lateMs` ago. */
  due(call: number, lateMs: number): void;
  /** This number of packets was due too long ago. The call's timestamp advances by as many frames, nothing is sent. */
  skipped(call: number, frames: number): void;
}

/**
 * The timing wheel: decides when each call's next packet is due, on an absolute monotonic clock. Ticks count from one
 * origin, never from the last wake-up. So lateness does not add up, and an hour has exactly 180,000 packets per call.
 * The pacer reads no clock and sets no timer.
 */
export class Pacer {
  /** The next tick, in whole ms since the origin. */
  #next = 0;
  readonly #originMs: number;
  readonly #slots: number[][] = Array.from({ length: PACKET_INTERVAL_MS }, () => []);
  readonly #slotOf = new Map<number, number>();
  readonly #listener: PacerListener;

  constructor(originMs: number, listener: PacerListener) {
    this.#originMs = originMs;
    this.#listener = listener;
  }

  get size(): number {
    return this.#slotOf.size;
  }

  /** The time of the next tick. Undefined behaviour without calls. */
  get dueMs(): number {
    return this.#originMs + this.#next;
  }

  /** Puts a call into the slot with the fewest calls, the earliest of several. Its first packet is due within a frame. */
  add(call: number, nowMs: number): void {
    if (this.#slotOf.has(call)) return;
    if (this.size === 0) this.#next = Math.max(this.#next, Math.ceil(nowMs - this.#originMs));
    let emptiest = this.#next % PACKET_INTERVAL_MS;
    for (let i = 1; i < PACKET_INTERVAL_MS; i++) {
      const slot = (this.#next + i) % PACKET_INTERVAL_MS;
      if (this.#at(slot).length < this.#at(emptiest).length) emptiest = slot;
    }
    this.#at(emptiest).push(call);
    this.#slotOf.set(call, emptiest);
  }

  remove(call: number): void {
    const slot = this.#slotOf.get(call);
    if (slot === undefined) return;
    this.#slotOf.delete(call);
    const calls = this.#at(slot);
    calls.splice(calls.indexOf(call), 1);
  }

  /**
   * Processes one tick, or skips all ticks that are too late. False if none is due. The worker reads the clock before
   * each call, so the reported lateness is the packet's, not the wake-up's.
   */
  tick(nowMs: number): boolean {
    const now = nowMs - this.#originMs;
    if (this.size === 0 || this.#next > now) return false;
    const oldest = Math.ceil(now - LATE_MS_MAX);
    if (this.#next < oldest) {
      this.#skip(oldest);
      return true;
    }
    const tick = this.#next++;
    const calls = this.#at(tick % PACKET_INTERVAL_MS);
    // Backwards, since a call may be removed from the slot in `due`.
    for (let i = calls.length - 1; i >= 0; i--) {
      const call = calls[i];
      if (call !== undefined) this.#listener.due(call, now - tick);
    }
    return true;
  }

  #skip(until: number): void {
    for (let slot = 0; slot < PACKET_INTERVAL_MS; slot++) {
      const ahead = (slot - (this.#next % PACKET_INTERVAL_MS) + PACKET_INTERVAL_MS) % PACKET_INTERVAL_MS;
      const frames = Math.ceil((until - this.#next - ahead) / PACKET_INTERVAL_MS);
      if (frames <= 0) continue;
      const calls = this.#at(slot);
      for (let i = calls.length - 1; i >= 0; i--) {
        const call = calls[i];
        if (call !== undefined) this.#listener.skipped(call, frames);
      }
    }
    this.#next = until;
  }

  #at(slot: number): number[] {
    const calls = this.#slots[slot];
    if (calls === undefined) throw new RangeError(`The pacer has no slot ${slot}`);
    return calls;
  }
}
