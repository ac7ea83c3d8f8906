import { sourceNetworkOf } from '../../base/network/source-network.ts';
import { SourceRateLimiter } from './source-rate-limiter.ts';

/** Reports of one source: the burst of a wrongly configured trunk, then one a second. */
const SOURCE_BURST = 20;
const SOURCE_PER_SECOND = 1;
/** Reports of all sources. Each is a message between threads and a line of the log. */
const ALL_BURST = 200;
const ALL_PER_SECOND = 20;
const EVERY_SOURCE = '';

/** Limits how many refused INVITEs are reported, so that a flood of them costs little. */
export class RefusalRateLimiter {
  readonly #sources = new SourceRateLimiter(SOURCE_PER_SECOND, SOURCE_BURST);
  readonly #all = new SourceRateLimiter(ALL_PER_SECOND, ALL_BURST);

  /** Whether a refusal of this source may be reported. */
  tryTake(address: string, nowUs: number): boolean {
    return this.#sources.tryTake(sourceNetworkOf(address), nowUs) && this.#all.tryTake(EVERY_SOURCE, nowUs);
  }
}
