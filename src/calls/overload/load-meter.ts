import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { LoadReader } from './overload-guard.ts';
import type { LoadReading } from './overload-rule.ts';

/** The sources of the load of a process. */
export interface LoadSources {
  /** Load of the media worker that would get the next call, as a share of its limit. */
  readonly media: () => number;
  /** Requests to the database that wait or run; 0 where there is none. */
  readonly databaseRequests: () => number;
  /** Packet lateness from which on calls are refused, ms: `ADMISSION_LATENESS_MS`. */
  readonly latenessMsMax: number;
}

/**
 * Delay of the event loop from which on calls are refused: this multiple of the packet lateness, and at least `DELAY_MS_MIN`. A late packet
 * is heard; a late event of the engine adds to a pause of half a second.
 */
const DELAY_PER_LATENESS = 5;
const DELAY_MS_MIN = 50;
/** The delay of 95 of 100 turns of the event loop counts: one long collection of garbage is no overload. */
const DELAY_PERCENTILE = 95;
/** Fifty samples in a reading, at a cost of fifty wake-ups a second. */
const RESOLUTION_MS = 20;
/**
 * A turn of a conversation makes about ten requests: this number corresponds to some seconds of a fully loaded service.
 */
const DATABASE_REQUESTS_MAX = 1_000;

/** Reads the load of this process. */
export class LoadMeter implements LoadReader {
  readonly #sources: LoadSources;
  readonly #delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor(sources: LoadSources) {
    this.#sources = sources;
    this.#delays.enable();
  }

  read(): LoadReading {
    const { databaseRequests, latenessMsMax, media } = this.#sources;
    // A sample is the whole interval between two ticks; NaN without a sample.
    const delayMs = this.#delays.percentile(DELAY_PERCENTILE) / 1e6 - RESOLUTION_MS;
    this.#delays.reset();
    return {
      event_loop: Math.max(0, delayMs || 0) / Math.max(DELAY_MS_MIN, latenessMsMax * DELAY_PER_LATENESS),
      media: media(),
      database: databaseRequests() / DATABASE_REQUESTS_MAX,
    };
  }

  close(): void {
    this.#delays.disable();
  }
}
