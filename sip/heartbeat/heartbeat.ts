import type { Worker } from 'node:worker_threads';

const BEAT_MS = 250;
const MISSED_BEATS_MAX = 12;

/** In the worker: increments the counter of a `Heartbeat` while the event loop runs. */
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
   * Terminates the thread three seconds after its last beat, so that its `exit` handler starts a successor. Waits for the
   * first beat without a limit, since loading may take long.
   */
  watch(worker: Worker, onHang: (reason: string) => void): void {
    let lastBeats = 0;
    let missed = 0;
    // Counts checks, not time: a pause of the whole machine fails only one check.
    const checks = setInterval(() => {
      const beats = Atomics.load(this.#beats, 0);
      missed = beats === lastBeats && beats > 0 ? missed + 1 : 0;
      lastBeats = beats;
      if (missed < MISSED_BEATS_MAX) return;
      clearInterval(checks);
      onHang(`no heartbeat for ${MISSED_BEATS_MAX * BEAT_MS} ms`);
      void worker.terminate();
    }, BEAT_MS).unref();
    worker.once('exit', () => clearInterval(checks));
  }
}
