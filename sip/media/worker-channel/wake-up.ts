/**
 * Wakes the main thread for sessions that have data. The worker marks sessions in a bitmap and notifies at most once per
 * tick. The main thread waits on one word with `Atomics.waitAsync` and collects the whole bitmap at once.
 */
export class WakeUp {
  readonly shared: SharedArrayBuffer;
  readonly #bell: Int32Array;
  readonly #ready: Int32Array;
  #marked = false;

  /** @param shared the other thread's memory, from `WakeUp.shared` */
  constructor(slots: number, shared = new SharedArrayBuffer(4 + Math.ceil(slots / 32) * 4)) {
    this.shared = shared;
    this.#bell = new Int32Array(shared, 0, 1);
    this.#ready = new Int32Array(shared, 4);
  }

  /** Worker: marks a session that has data. */
  mark(slot: number): void {
    Atomics.or(this.#ready, slot >>> 5, 1 << (slot & 31));
    this.#marked = true;
  }

  /** Worker, at the end of a tick: wakes the main thread if a session was marked since the last call. */
  notify(): void {
    if (!this.#marked) return;
    this.#marked = false;
    this.wake();
  }

  /** Either thread: wakes the waiting thread, with or without marks. */
  wake(): void {
    Atomics.add(this.#bell, 0, 1);
    Atomics.notify(this.#bell, 0);
  }

  /** Main thread: the number of wake-ups, for `changed`. Read it before `collect`, so that no wake-up is missed. */
  get count(): number {
    return Atomics.load(this.#bell, 0);
  }

  /** Main thread: resolves when the count differs from `seen`. */
  async changed(seen: number): Promise<void> {
    const wait = Atomics.waitAsync(this.#bell, 0, seen);
    if (wait.async) await wait.value;
  }

  /** Main thread: calls `visit` for each marked session, and resets the marks. */
  collect(visit: (slot: number) => void): void {
    for (let word = 0; word < this.#ready.length; word++) {
      let bits = Atomics.exchange(this.#ready, word, 0);
      while (bits !== 0) {
        const bit = 31 - Math.clz32(bits & -bits);
        bits &= ~(1 << bit);
        visit(word * 32 + bit);
      }
    }
  }
}
