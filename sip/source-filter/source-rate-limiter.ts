/** Addresses with a bucket. Beyond: the least recently used bucket is dropped. */
const SOURCES_MAX = 4_096;

/** The burst, as a multiple of the rate per second: a restarted peer sends bursts. */
const BURST_FACTOR = 2;

interface Bucket {
  tokens: number;
  filledAtUs: number;
}

/** One token bucket per source address. */
export class SourceRateLimiter {
  readonly #ratePerSecond: number;
  readonly #capacity: number;
  /** In the order of the last message, oldest first. */
  readonly #buckets = new Map<string, Bucket>();

  /** @param capacity the burst. */
  constructor(ratePerSecond: number, capacity = ratePerSecond * BURST_FACTOR) {
    this.#ratePerSecond = ratePerSecond;
    this.#capacity = capacity;
  }

  /** Number of addresses with a bucket. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Whether one more message of this address is within its rate. */
  tryTake(address: string, nowUs: number): boolean {
    const bucket = this.#buckets.get(address) ?? { tokens: this.#capacity, filledAtUs: nowUs };
    const refill = ((nowUs - bucket.filledAtUs) / 1_000_000) * this.#ratePerSecond;
    bucket.tokens = Math.min(this.#capacity, bucket.tokens + refill);
    bucket.filledAtUs = nowUs;
    this.#buckets.delete(address);
    this.#buckets.set(address, bucket);
    if (this.#buckets.size > SOURCES_MAX) {
      const oldest = this.#buckets.keys().next().value;
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  /** Returns tokens that should not count. */
  refund(address: string, tokens: number): void {
    const bucket = this.#buckets.get(address);
    if (bucket !== undefined) bucket.tokens = Math.min(this.#capacity, bucket.tokens + tokens);
  }
}
