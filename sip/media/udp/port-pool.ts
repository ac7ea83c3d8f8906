export interface PortRange {
  /** First and last port, both inclusive. Pairs begin at even ports (RFC 3550 §11). */
  readonly first: number;
  readonly last: number;
}

/**
 * The default: 5,000 calls, below Linux' ephemeral range 32768–60999, which the kernel assigns to other sockets.
 */
export const DEFAULT_RTP_PORTS: PortRange = { first: 20_000, last: 29_999 };

/**
 * The free port pairs of the configured range. A freed pair is reused last, so that late packets of the old call reach
 * no other call. The initial order is random, so that the ports of one call do not reveal those of the next.
 */
export class PortPool {
  readonly #free: number[] = [];

  /**
   * @param random returns an integer from 0 to `below`, exclusive
   * @throws RangeError for a range without a pair, or outside 1–65535
   */
  constructor({ first, last }: PortRange, random: (below: number) => number) {
    for (let port = first + (first & 1); port + 1 <= last; port += 2) {
      const at = random(this.#free.length + 1);
      this.#free.push(this.#free[at] ?? port);
      this.#free[at] = port;
    }
    if (this.#free.length === 0 || first < 1 || last > 65_535) throw new RangeError(`No RTP ports in ${first}-${last}`);
  }

  /** An even port whose successor is free too; null if none is left. */
  take(): number | null {
    return this.#free.shift() ?? null;
  }

  get isEmpty(): boolean {
    return this.#free.length === 0;
  }

  give(port: number): void {
    this.#free.push(port);
  }
}
