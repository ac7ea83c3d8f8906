import type { MediaService } from '../../../sip/media/media-service.ts';
import {
  type LoadReading,
  nextOverload,
  OPEN,
  type OverloadState,
  READING_MS,
  retryAfterSeconds,
} from './overload-rule.ts';

/** Readings after the start that refuse no call: a slow machine still compiles code then, and no call runs. */
export const WARM_UP_READINGS = 3;

/** Reads the load since the last reading. */
export interface LoadReader {
  read(): LoadReading;
  close(): void;
}

export interface OverloadView extends Pick<OverloadState, 'phase'> {
  /** Null before the first reading. */
  readonly reading: LoadReading | null;
}

export interface CountedCapacity {
  /** See `MediaService`. @param counted 1 for a call that the guard counts already */
  capacity(counted?: 0 | 1): ReturnType<MediaService['capacity']>;
}

/** Refuses further calls while a thread of this process is late, so that the calls which run sound as before. */
export class OverloadGuard {
  readonly #calls: () => number;
  #stop = () => {};
  #state = OPEN;
  #reading: LoadReading | null = null;

  /** @param calls the number of calls that run or are being set up */
  constructor(calls: () => number) {
    this.#calls = calls;
  }

  /** Begins to read the load. Until then every call is taken. */
  start(meter: LoadReader): void {
    let readings = 0;
    const timer = setInterval(() => {
      this.#reading = meter.read();
      readings += 1;
      if (readings > WARM_UP_READINGS) this.#state = nextOverload(this.#state, this.#reading, this.#calls());
    }, READING_MS).unref();
    this.#stop = () => {
      clearInterval(timer);
      meter.close();
    };
  }

  get view(): OverloadView {
    return { phase: this.#state.phase, reading: this.#reading };
  }

  /** The capacity of `media` while this process is not overloaded. */
  guard(media: Pick<MediaService, 'capacity'>): CountedCapacity {
    return {
      capacity: (counted = 0) => {
        const seconds = retryAfterSeconds(this.#state, this.#calls() - counted);
        return seconds === null ? media.capacity() : { accepted: false, retryAfterSeconds: seconds };
      },
    };
  }

  close(): void {
    this.#stop();
  }
}
