import { Worker } from 'node:worker_threads';
import { Heartbeat } from '../../heartbeat/heartbeat.ts';
import { createSessionMemory, resetSessionMemory, type SessionMemory } from '../worker-channel/session-memory.ts';
import { WakeUp } from '../worker-channel/wake-up.ts';
import type {
  MediaWorkerCommand,
  MediaWorkerOptions,
  MediaWorkerReport,
  SessionKey,
} from '../worker-channel/worker-messages.ts';
import { WorkerStatistics } from '../worker-channel/worker-statistics.ts';
import { RtpSessionHandle } from './rtp-session-handle.ts';
import type { SessionHandle } from './session-handle.ts';
import { SessionRestore } from './session-restore.ts';

/** More than one core carries over `dgram`; `capacity` refuses calls long before. */
const SLOTS = 2048;
/**
 * A second worker that exits within this time of its start is replaced only when the time is over. This prevents a
 * respawn storm.
 */
const MIN_LIFE_MS = 1000;
/** A worker holds only audio in flight: a leak must end the worker, not the process. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 };
/** `.ts` from the sources, `.js` once built. */
const WORKER_URL = new URL(`../worker/worker${import.meta.url.slice(-3)}`, import.meta.url);

export interface WorkerHandleOptions {
  readonly bindAddress: string;
  /** The session's ports and memory are free. */
  readonly onReleased: (leg: SessionHandle) => void;
  /** The thread ended unasked. A successor is started. */
  readonly onExit: (reason: string) => void;
}

/** One call's place. The memory is kept for the next call. */
export interface Slot {
  readonly memory: SessionMemory;
  readonly key: SessionKey;
}

interface SlotState {
  readonly memory: SessionMemory;
  key: SessionKey;
  leg: SessionHandle | null;
  /** Settles the first `open`: null, or the system's error code. */
  opened: ((code: string | null) => void) | null;
  /** The call waits for the successor of its worker. */
  restore: SessionRestore | null;
  /** The session was closed or has failed; the slot is free once the worker confirms. */
  closing: boolean;
}

/** A media worker, its successors, and their calls. */
export class WorkerHandle {
  readonly statistics = new WorkerStatistics();
  /** Resolves when a worker has loaded for the first time; never where none does. */
  readonly loaded: Promise<void>;
  readonly #onLoaded: () => void;
  readonly #wakeUp = new WakeUp(SLOTS);
  readonly #options: WorkerHandleOptions;
  readonly #seats: SlotState[] = [];
  readonly #free: SlotState[] = [];
  #worker: Worker | null = null;
  #ready = false;
  #closed = false;
  #startedMs = 0;
  #shortLives = 0;
  #respawn: NodeJS.Timeout | null = null;

  constructor(options: WorkerHandleOptions) {
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.loaded = promise;
    this.#onLoaded = resolve;
    this.#spawn();
    void this.#listen();
  }

  get alive(): boolean {
    return this.#ready;
  }

  get threadId(): number | null {
    return this.#worker?.threadId ?? null;
  }

  /** Calls that hold a slot. */
  get size(): number {
    return this.#seats.length - this.#free.length;
  }

  get full(): boolean {
    return this.size >= SLOTS;
  }

  /** Ends the thread as a crash would; for tests. */
  async kill(): Promise<void> {
    await this.#worker?.terminate();
  }

  /** A slot for one call; null where all are in use. `close` frees it. */
  take(): Slot | null {
    const free = this.#free.shift();
    if (free !== undefined) {
      resetSessionMemory(free.memory);
      free.key = { slot: free.key.slot, generation: (free.key.generation + 1) | 0 };
      return free;
    }
    if (this.#seats.length === SLOTS) return null;
    const key = { slot: this.#seats.length, generation: 1 };
    const seat: SlotState = {
      memory: createSessionMemory(),
      key,
      leg: null,
      opened: null,
      restore: null,
      closing: false,
    };
    this.#seats.push(seat);
    return seat;
  }

  /** Has the worker bind the leg's ports. Resolves with null, or with the system's error code. */
  open(leg: SessionHandle): Promise<string | null> {
    const seat = this.#seatOf(leg.key);
    if (seat === null || this.#closed) return Promise.resolve('ECANCELED');
    seat.leg = leg;
    return new Promise((resolve) => {
      seat.opened = resolve;
      this.#sendOpen(seat);
    });
  }

  /** Lost where no worker runs: the next one is sent the state of each call. */
  post(order: MediaWorkerCommand): void {
    if (this.#ready) this.#worker?.postMessage(order);
  }

  /** The worker releases the call; then `onReleased` is called. */
  close(leg: SessionHandle): void {
    const seat = this.#seatOf(leg.key);
    if (seat === null || seat.closing) return;
    seat.leg = leg;
    seat.closing = true;
    if (this.#ready) this.post({ type: 'close', ...seat.key });
    else this.#release(seat);
  }

  /** Ends the thread. Close the legs first. */
  async end(): Promise<void> {
    this.#closed = true;
    if (this.#respawn !== null) clearTimeout(this.#respawn);
    this.#wakeUp.wake();
    await this.#worker?.terminate();
    for (const seat of this.#seats) if (seat.leg !== null) this.#release(seat);
  }

  #spawn(): void {
    this.#respawn = null;
    this.#startedMs = performance.now();
    const heartbeat = new Heartbeat();
    const workerData: MediaWorkerOptions = {
      bindAddress: this.#options.bindAddress,
      slots: SLOTS,
      wakeUp: this.#wakeUp.shared,
      statistics: this.statistics.shared,
      heartbeat: heartbeat.shared,
    };
    const worker = new Worker(WORKER_URL, { workerData, resourceLimits: RESOURCE_LIMITS, name: 'media' });
    this.#worker = worker;
    worker.on('message', (notice: MediaWorkerReport) => this.#hear(notice));
    // Every error of a worker is followed by its exit, which is handled.
    let reason = 'terminated';
    worker.on('error', (error) => {
      reason = String(error);
    });
    heartbeat.watch(worker, (still) => {
      reason = still;
    });
    worker.on('exit', () => this.#replace(reason));
  }

  #replace(reason: string): void {
    this.#ready = false;
    this.#worker = null;
    this.statistics.rest();
    if (this.#closed) return;
    this.#options.onExit(reason);
    const youngMs = MIN_LIFE_MS - (performance.now() - this.#startedMs);
    this.#shortLives = youngMs > 0 ? this.#shortLives + 1 : 0;
    if (this.#shortLives < 2) this.#spawn();
    else this.#respawn = setTimeout(() => this.#spawn(), youngMs);
    // While the next one loads: of a thousand calls this takes 0.1 to 0.2 s.
    for (const seat of this.#seats) {
      if (seat.leg === null) continue;
      if (seat.closing) this.#release(seat);
      else this.#orphan(seat, seat.leg);
    }
  }

  /** The call continues in the next worker if that starts in time. */
  #orphan(seat: SlotState, leg: SessionHandle): void {
    if (seat.restore !== null) seat.restore.wait();
    // Otherwise it was being opened for the first time, which the next worker is asked again.
    else if (seat.opened === null) this.#restore(seat, leg);
  }

  #restore(seat: SlotState, leg: SessionHandle): void {
    leg.workerExited();
    const restore = new SessionRestore({
      address: this.#options.bindAddress,
      port: leg instanceof RtpSessionHandle ? leg.port : null,
      onFailed: () => {
        this.#settle(seat, 'ETIMEDOUT');
        leg.audio.fail('the media worker exited and no other took the call');
      },
    });
    seat.restore = restore;
    seat.opened = (code) => {
      restore.end();
      seat.restore = null;
      if (code === null) leg.restored();
    };
  }

  #sendOpen(seat: SlotState): void {
    const { leg, restore } = seat;
    if (!this.#ready || leg === null || seat.closing) return;
    restore?.begin();
    this.post({ type: 'open', ...seat.key, ...leg.openCommand(restore?.absentMs ?? 0) });
  }

  #hear(notice: MediaWorkerReport): void {
    if (notice.type === 'ready') {
      this.#ready = true;
      this.#onLoaded();
      for (const seat of this.#seats) this.#sendOpen(seat);
      return;
    }
    const seat = this.#seatOf(notice);
    if (seat === null) return;
    switch (notice.type) {
      case 'opened':
        this.#settle(seat, null);
        return;
      case 'open_failed':
        this.#refused(seat, notice.code);
        return;
      case 'event':
        seat.leg?.handleEvent(notice.event);
        return;
      case 'source_verified':
        if (seat.leg instanceof RtpSessionHandle) seat.leg.sourceVerified();
        return;
      case 'captured':
        if (seat.leg instanceof RtpSessionHandle) seat.leg.captured(notice.records);
        return;
      case 'closed':
        this.#release(seat);
        return;
    }
  }

  #refused(seat: SlotState, code: string): void {
    if (seat.closing) this.#release(seat);
    else if (seat.restore !== null) seat.restore.refused(() => this.#sendOpen(seat));
    else this.#settle(seat, code);
  }

  #settle(seat: SlotState, code: string | null): void {
    const { opened } = seat;
    seat.opened = null;
    opened?.(code);
  }

  #release(seat: SlotState): void {
    const { leg } = seat;
    // Called twice where the session was closed while its ports were refused: for the refusal and for the close.
    if (leg === null) return;
    this.#settle(seat, 'ECANCELED');
    seat.leg = null;
    seat.closing = false;
    this.#free.push(seat);
    this.#options.onReleased(leg);
  }

  #seatOf(key: SessionKey): SlotState | null {
    const seat = this.#seats[key.slot];
    return seat !== undefined && seat.key.generation === key.generation ? seat : null;
  }

  async #listen(): Promise<void> {
    while (!this.#closed) {
      const seen = this.#wakeUp.count;
      this.#wakeUp.collect((slot) => this.#seats[slot]?.leg?.collect());
      await this.#wakeUp.changed(seen);
    }
  }
}
