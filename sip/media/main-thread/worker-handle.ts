import { Worker } from 'node:worker_threads';
import { withTimeout } from '../../../base/time/with-timeout.ts';
import { Heartbeat } from '../../heartbeat/heartbeat.ts';
import type { ChosenSockets, UdpSocketChoice } from '../udp/udp-sockets.ts';
import type {
  MediaWorkerCommand,
  MediaWorkerOptions,
  MediaWorkerReport,
  SessionKey,
} from '../worker-channel/media-worker-messages.ts';
import { createSessionMemory, resetSessionMemory, type SessionMemory } from '../worker-channel/session-memory.ts';
import { WakeUp } from '../worker-channel/wake-up.ts';
import { WorkerStatistics } from '../worker-channel/worker-statistics.ts';
import { RtpSessionHandle } from './rtp-session-handle.ts';
import type { SessionHandle } from './session-handle.ts';
import { SessionRestore } from './session-restore.ts';

/** More calls than one core can carry; `capacity` refuses calls long before. */
const SLOTS = 2048;
/**
 * If a second worker in a row exits within this time of its start, its successor starts only when the time is over.
 * This prevents a respawn storm.
 */
const LIFE_MS_MIN = 1000;
/** A worker that has not loaded after this time hangs, and is terminated all the same. */
const LOAD_WAIT_MS = 10_000;
/** A worker holds only audio in flight: a leak must end the worker, not the process. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 };
/** `.ts` from the sources, `.js` once built. */
const WORKER_URL = new URL(`../worker/worker${import.meta.url.slice(-3)}`, import.meta.url);

export interface WorkerHandleOptions {
  readonly bindAddress: string;
  readonly sockets: UdpSocketChoice;
  /** The worker, or its successor, has loaded. */
  readonly onSockets: (chosen: ChosenSockets) => void;
  /** The session's ports and memory are free. */
  readonly onReleased: (session: SessionHandle) => void;
  /** The thread exited unexpectedly. A successor is started. */
  readonly onExit: (reason: string) => void;
}

/** The place of one call. The memory is kept for the next call. */
export interface Slot {
  readonly memory: SessionMemory;
  readonly key: SessionKey;
}

interface SlotState {
  readonly memory: SessionMemory;
  key: SessionKey;
  session: SessionHandle | null;
  /** Settles a pending `open`: null, or the system's error code. */
  opened: ((code: string | null) => void) | null;
  /** The call waits for the successor of its worker. */
  restore: SessionRestore | null;
  /** The session was closed or has failed; the slot is free once the worker confirms. */
  closing: boolean;
}

/** A media worker, its successors, and their calls. */
export class WorkerHandle {
  readonly statistics = new WorkerStatistics();
  /** Resolves when a worker has loaded for the first time. */
  readonly loaded: Promise<void>;
  readonly #onLoaded: () => void;
  readonly #wakeUp = new WakeUp(SLOTS);
  readonly #options: WorkerHandleOptions;
  readonly #slots: SlotState[] = [];
  readonly #free: SlotState[] = [];
  #worker: Worker | null = null;
  /** Resolves when the present worker has loaded or exited. */
  #started = Promise.withResolvers<void>();
  #ready = false;
  #sockets: ChosenSockets['type'] | null = null;
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

  /** The sockets of the latest worker; null until the first one has loaded. */
  get sockets(): ChosenSockets['type'] | null {
    return this.#sockets;
  }

  get threadId(): number | null {
    return this.#worker?.threadId ?? null;
  }

  /** Calls that hold a slot. */
  get size(): number {
    return this.#slots.length - this.#free.length;
  }

  get full(): boolean {
    return this.size >= SLOTS;
  }

  /** A slot for one call; null if all are in use. `close` frees it. */
  takeSlot(): Slot | null {
    const free = this.#free.shift();
    if (free !== undefined) {
      resetSessionMemory(free.memory);
      free.key = { slot: free.key.slot, generation: (free.key.generation + 1) | 0 };
      return free;
    }
    if (this.#slots.length === SLOTS) return null;
    const key = { slot: this.#slots.length, generation: 1 };
    const slot: SlotState = {
      memory: createSessionMemory(),
      key,
      session: null,
      opened: null,
      restore: null,
      closing: false,
    };
    this.#slots.push(slot);
    return slot;
  }

  /** Opens the session in the worker, which binds its ports. Resolves with null, or with the system's error code. */
  open(session: SessionHandle): Promise<string | null> {
    const slot = this.#slotOf(session.key);
    if (slot === null || this.#closed) return Promise.resolve('ECANCELED');
    slot.session = session;
    return new Promise((resolve) => {
      slot.opened = resolve;
      this.#sendOpen(slot);
    });
  }

  /** The command is lost if no worker runs; the next worker receives the state of each call. */
  post(command: MediaWorkerCommand): void {
    if (this.#ready) this.#worker?.postMessage(command);
  }

  /** The worker releases the call; then `onReleased` is called. */
  close(session: SessionHandle): void {
    const slot = this.#slotOf(session.key);
    if (slot === null || slot.closing) return;
    slot.session = session;
    slot.closing = true;
    if (this.#ready) this.post({ type: 'close', ...slot.key });
    else this.#release(slot);
  }

  /** Ends the thread. Close the sessions first. */
  async end(): Promise<void> {
    this.#closed = true;
    if (this.#respawn !== null) clearTimeout(this.#respawn);
    this.#wakeUp.wake();
    await this.#terminate();
    for (const slot of this.#slots) if (slot.session !== null) this.#release(slot);
  }

  /** Terminating a thread while it loads a native package ends the whole process (node-addon-api aborts in `napi_throw`). */
  async #terminate(): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    await withTimeout(this.#started.promise, LOAD_WAIT_MS, () => undefined);
    await worker.terminate();
  }

  #spawn(): void {
    this.#respawn = null;
    this.#started = Promise.withResolvers();
    this.#startedMs = performance.now();
    const heartbeat = new Heartbeat();
    const workerData: MediaWorkerOptions = {
      bindAddress: this.#options.bindAddress,
      sockets: this.#options.sockets,
      slots: SLOTS,
      wakeUp: this.#wakeUp.shared,
      statistics: this.statistics.shared,
      heartbeat: heartbeat.shared,
    };
    const worker = new Worker(WORKER_URL, { workerData, resourceLimits: RESOURCE_LIMITS, name: 'media' });
    this.#worker = worker;
    worker.on('message', (report: MediaWorkerReport) => this.#handleReport(report));
    // Every error of a worker is followed by its exit, which is handled.
    let reason = 'terminated';
    worker.on('error', (error) => {
      reason = String(error);
    });
    heartbeat.watch(worker, (hangReason) => {
      reason = hangReason;
    });
    worker.on('exit', () => this.#replace(reason));
  }

  #replace(reason: string): void {
    this.#started.resolve();
    this.#ready = false;
    this.#worker = null;
    this.statistics.resetLoad();
    if (this.#closed) return;
    this.#options.onExit(reason);
    const youngMs = LIFE_MS_MIN - (performance.now() - this.#startedMs);
    this.#shortLives = youngMs > 0 ? this.#shortLives + 1 : 0;
    if (this.#shortLives < 2) this.#spawn();
    else this.#respawn = setTimeout(() => this.#spawn(), youngMs);
    // Runs while the next worker loads: a thousand calls take 0.1 to 0.2 s.
    for (const slot of this.#slots) {
      if (slot.session === null) continue;
      if (slot.closing) this.#release(slot);
      else this.#orphan(slot, slot.session);
    }
  }

  /** The call continues in the next worker if that worker starts in time. */
  #orphan(slot: SlotState, session: SessionHandle): void {
    if (slot.restore !== null) slot.restore.wait();
    // A call that was being opened for the first time is opened in the next worker, without a restore.
    else if (slot.opened === null) this.#restore(slot, session);
  }

  #restore(slot: SlotState, session: SessionHandle): void {
    session.workerExited();
    const restore = new SessionRestore({
      address: this.#options.bindAddress,
      port: session instanceof RtpSessionHandle ? session.port : null,
      onFailed: () => {
        this.#settle(slot, 'ETIMEDOUT');
        session.audio.fail('the media worker exited and no other took the call');
      },
    });
    slot.restore = restore;
    slot.opened = (code) => {
      restore.end();
      slot.restore = null;
      if (code === null) session.restored();
    };
  }

  #sendOpen(slot: SlotState): void {
    const { session, restore } = slot;
    if (!this.#ready || session === null || slot.closing) return;
    restore?.begin();
    this.post({ type: 'open', ...slot.key, ...session.openCommand(restore?.absentMs ?? 0) });
  }

  #handleReport(report: MediaWorkerReport): void {
    if (report.type === 'ready') {
      this.#started.resolve();
      this.#ready = true;
      this.#sockets = report.sockets.type;
      this.#options.onSockets(report.sockets);
      this.#onLoaded();
      for (const slot of this.#slots) this.#sendOpen(slot);
      return;
    }
    const slot = this.#slotOf(report);
    if (slot === null) return;
    switch (report.type) {
      case 'opened':
        this.#settle(slot, null);
        return;
      case 'open_failed':
        this.#refused(slot, report.code);
        return;
      case 'event':
        slot.session?.handleEvent(report.event);
        return;
      case 'source_verification':
        if (slot.session instanceof RtpSessionHandle) slot.session.sourceVerification(report.result);
        return;
      case 'noise_suppression_failed':
        slot.session?.audio.noiseSuppressionFailed(report.message);
        return;
      case 'captured':
        if (slot.session instanceof RtpSessionHandle) slot.session.captured(report.records);
        return;
      case 'closed':
        this.#release(slot);
        return;
    }
  }

  #refused(slot: SlotState, code: string): void {
    if (slot.closing) this.#release(slot);
    else if (slot.restore !== null) slot.restore.refused(() => this.#sendOpen(slot));
    else this.#settle(slot, code);
  }

  #settle(slot: SlotState, code: string | null): void {
    const { opened } = slot;
    slot.opened = null;
    opened?.(code);
  }

  #release(slot: SlotState): void {
    const { session } = slot;
    // Called twice if the session was closed while its ports were refused: for the refusal and for the close.
    if (session === null) return;
    this.#settle(slot, 'ECANCELED');
    slot.session = null;
    slot.closing = false;
    this.#free.push(slot);
    this.#options.onReleased(session);
  }

  #slotOf(key: SessionKey): SlotState | null {
    const slot = this.#slots[key.slot];
    return slot !== undefined && slot.key.generation === key.generation ? slot : null;
  }

  async #listen(): Promise<void> {
    while (!this.#closed) {
      const seen = this.#wakeUp.count;
      this.#wakeUp.collect((slot) => this.#slots[slot]?.session?.collect());
      await this.#wakeUp.changed(seen);
    }
  }
}
