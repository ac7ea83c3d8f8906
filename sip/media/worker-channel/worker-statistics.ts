/**
 * A worker's statistics in shared memory, which the main thread reads for `capacity`. They outlive the worker, so the
 * next worker continues the counters.
 */
const RECEIVED = 0;
const SENT = 1;
const DROPPED = 2;
const SKIPPED = 3;
const UNDERRUNS = 4;
const LATENESS_P99_MS = 5;
const BUSY_SHARE = 6;
const FIELDS = 7;

/** A bin of the lateness histogram is 0.25 ms wide; the last bin counts everything from 50 ms on. */
const BINS_PER_MS = 4;
const BINS = 50 * BINS_PER_MS + 1;
const PERCENTILE = 0.99;
/** With fewer packets per second (ten calls), one short stall would be the 99th percentile, so none is reported. */
const PACKETS_MIN = 500;
const WINDOW_MS = 1000;

export class WorkerStatistics {
  readonly shared: SharedArrayBuffer;
  readonly #fields: Float64Array;
  readonly #lateness = new Uint32Array(BINS);
  #packets = 0;
  #windowEndMs = 0;

  /** @param shared the other thread's memory, from `WorkerStatistics.shared` */
  constructor(shared = new SharedArrayBuffer(FIELDS * 8)) {
    this.shared = shared;
    this.#fields = new Float64Array(shared);
  }

  countReceived(packets: number): void {
    this.#add(RECEIVED, packets);
  }

  countDropped(packets: number): void {
    this.#add(DROPPED, packets);
  }

  countUnderruns(packets: number): void {
    this.#add(UNDERRUNS, packets);
  }

  countSent(packets: number): void {
    this.#add(SENT, packets);
  }

  /** Packets that were due too long ago and were not sent. */
  countSkipped(packets: number): void {
    this.#add(SKIPPED, packets);
  }

  recordLateness(ms: number): void {
    const bin = Math.min(BINS - 1, Math.max(0, Math.floor(ms * BINS_PER_MS)));
    this.#lateness[bin] = (this.#lateness[bin] ?? 0) + 1;
    this.#packets++;
  }

  /** The loop starts. The first second is reported when it is over. */
  begin(nowMs: number): void {
    this.#windowEndMs = nowMs + WINDOW_MS;
    this.#lateness.fill(0);
    this.#packets = 0;
  }

  /** Called at the end of each tick. Reads `busyShare` once a second. */
  tick(nowMs: number, busyShare: () => number): void {
    if (nowMs < this.#windowEndMs) return;
    this.#fields[LATENESS_P99_MS] = this.#packets < PACKETS_MIN ? 0 : this.#percentile();
    this.#fields[BUSY_SHARE] = busyShare();
    this.begin(nowMs);
  }

  /** The worker has no calls, or has exited. */
  resetLoad(): void {
    this.#fields[LATENESS_P99_MS] = 0;
    this.#fields[BUSY_SHARE] = 0;
  }

  get received(): number {
    return this.#fields[RECEIVED] ?? 0;
  }
  get sent(): number {
    return this.#fields[SENT] ?? 0;
  }
  get dropped(): number {
    return this.#fields[DROPPED] ?? 0;
  }
  get skipped(): number {
    return this.#fields[SKIPPED] ?? 0;
  }
  get underruns(): number {
    return this.#fields[UNDERRUNS] ?? 0;
  }
  /** 99th percentile of the lateness in the last whole second, in ms. */
  get latenessP99Ms(): number {
    return this.#fields[LATENESS_P99_MS] ?? 0;
  }
  /** Busy share of the last whole second, 0–1. */
  get busyShare(): number {
    return this.#fields[BUSY_SHARE] ?? 0;
  }

  #percentile(): number {
    let left = Math.ceil(this.#packets * (1 - PERCENTILE));
    for (let bin = BINS - 1; bin >= 0; bin--) {
      left -= this.#lateness[bin] ?? 0;
      if (left <= 0) return (bin + 1) / BINS_PER_MS;
    }
    return 0;
  }

  #add(field: number, count: number): void {
    this.#fields[field] = (this.#fields[field] ?? 0) + count;
  }
}
