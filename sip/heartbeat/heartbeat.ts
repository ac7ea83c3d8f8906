import type { Worker } from 'node:worker_threads';

const BEAT_MS = 250;
const MISSED_BEATS_MAX = 12;

/** In the worker: counts in the memory of a `Heartbeat` while the event loop runs. */
export function startHeartbeat(shared: SharedArrayBuffer): void {
  const beats = new Int32Array(shared);
  const beatOnce = () => void Atomics.add(beats, 0, 1);
  beatOnce();
  setInterval(beatOnce, BEAT_MS).unref();
}

/** Detects a worker thread whose event loop hangs: it neither exits nor reports an error. */
export class Heartbeat {
  readonly shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  readonly #beats = new Int32Array(this.shared);

  /**
   * Terminates the thread three seconds after its last beat, so that its `exit` handler starts a successor. Not before
   * the first beat: loading may take long.
   */
  watch(worker: Worker, onStill: (reason: string) => void): void {
    let last = 0;
    let still = 0;
    // Counted in checks, not in time: after a pause of the whole machine only one check has failed.
    const looks = setInterval(() => {
      const now = Atomics.load(this.#beats, 0);
      still = now === last && now > 0 ? still + 1 : 0;
      last = now;
      if (still < MISSED_BEATS_MAX) return;
      clearInterval(looks);
      onStill(`no heartbeat for ${MISSED_BEATS_MAX * BEAT_MS} ms`);
      void worker.terminate();
    }, BEAT_MS).unref();
    worker.once('exit', () => clearInterval(looks));
  }
}
