/** Twice the minimum of RFC 3711 §3.3.2: 2.5 s of packets of 20 ms. */
export const REPLAY_WINDOW_PACKETS = 128;
const MASK = REPLAY_WINDOW_PACKETS - 1;

/** The packet indices that were received already. An index is an integer below 2^48. */
export class ReplayWindow {
  readonly #taken = new Float64Array(REPLAY_WINDOW_PACKETS).fill(-1);
  #highest = -1;

  /** Whether a packet of this index is acceptable: neither received before nor older than the window. */
  allows(index: number): boolean {
    return index > this.#highest - REPLAY_WINDOW_PACKETS && this.#taken[index & MASK] !== index;
  }

  /** Records the index of an authentic packet. */
  take(index: number): void {
    this.#taken[index & MASK] = index;
    if (index > this.#highest) this.#highest = index;
  }
}
