import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { withTimeout } from '../../../base/time/with-timeout.ts';
import { Recorder } from '../../recorder/recorder.ts';
import type {
  MediaService,
  MediaSession,
  MediaSessionOptions,
  MediaStatistics,
  RtpMediaSession,
  RtpMediaSessionOptions,
  WebMediaSession,
  WebMediaSessionOptions,
} from '../media-service.ts';
import { MediaServiceError } from '../media-service-error.ts';
import { DEFAULT_RTP_PORTS, PortPool, type PortRange } from '../udp/port-pool.ts';
import type { ChosenSockets, UdpSocketChoice } from '../udp/udp-sockets.ts';
import { RtpSessionHandle } from './rtp-session-handle.ts';
import type { SessionHandle, SessionHandleOptions } from './session-handle.ts';
import { WebSessionHandle } from './web-session-handle.ts';
import { WorkerHandle, type WorkerHandleOptions } from './worker-handle.ts';
import { loadShare } from './worker-load.ts';

export interface MediaServiceOptions {
  /** Address that RTP and RTCP are bound to; default 127.0.0.1. */
  readonly bindAddress?: string;
  /** Default `auto`. */
  readonly sockets?: UdpSocketChoice;
  /** Default 20000–29999. */
  readonly ports?: PortRange;
  /** Default: one less than the cores, at least one. */
  readonly workers?: number;
  /** Calls at once over all workers; default 1,000 a worker. */
  readonly callsMax?: number;
  /** No new call above this lateness, in ms: the 99th percentile of the packets of the last second. Default 5. */
  readonly latenessMsMax?: number;
  /** Recordings stop when the disk has fewer free bytes; default 256 MiB. */
  readonly lowWaterBytes?: number;
  /** A worker exited; its successor is starting. For logs and metrics. */
  readonly onWorkerExit?: (reason: string) => void;
  /** The first worker has loaded, or one that had to choose other sockets. For logs. */
  readonly onSockets?: (chosen: ChosenSockets) => void;
  /** A recording lost a part, or stopped. Called at most once per recording. */
  readonly onRecordingIncomplete?: (path: string, reason: string) => void;
}

/** A `MediaService` that shows the state of its worker threads. */
export interface WorkerMediaService extends MediaService {
  readonly workers: readonly MediaWorkerView[];
  /**
   * Resolves once every worker has loaded. Calls are accepted from then on.
   * @throws MediaServiceError if a worker does not load within 20 s
   */
  ready(): Promise<void>;
  /** Load of the least loaded worker as a share of its limit; above 1 it accepts no further call. */
  load(): number;
}

export interface MediaWorkerView {
  /** Null between an exit and the next start. */
  readonly threadId: number | null;
  readonly calls: number;
  /** Null until the worker has loaded. */
  readonly sockets: ChosenSockets['type'] | null;
  /** Packets that were due too long ago to be sent. */
  readonly skipped: number;
  /** Packets that were partly silent because the voice's audio was late. */
  readonly underruns: number;
}

/** The result of the media benchmark: calls of one core with a p99 lateness under 5 ms. */
const CALLS_PER_WORKER = 1000;
const DEFAULT_LATENESS_MS_MAX = 5;
/** Retry after a refusal because of load. By then lateness and load are measured over another second. */
const RETRY_LOADED_S = 2;
/** Within this time one of the calls probably ends. */
const RETRY_FULL_S = 10;
/** Port pairs in use by other processes are skipped. After this many in a row the range counts as exhausted. */
const PORT_ATTEMPTS_MAX = 64;
/** A worker loads in 0.25 s. A machine that needs longer than this cannot carry a call. */
const OPEN_TIMEOUT_MS = 5000;
/** Far more than a loading worker needs on a busy machine. */
const START_TIMEOUT_MS = 20_000;
/** Workers confirm a close at once. A worker that hangs does not delay the end of the process longer than this. */
export const CLOSE_TIMEOUT_MS = 2000;

/**
 * Starts the media workers.
 * @throws RangeError for a port range without a pair
 */
export function createMediaService(options: MediaServiceOptions = {}): WorkerMediaService {
  return new WorkerService(options);
}

class WorkerService implements WorkerMediaService {
  readonly workers: readonly MediaWorkerView[];
  readonly #handles: readonly WorkerHandle[];
  readonly #ports: PortPool;
  readonly #callsMax: number;
  readonly #options: MediaServiceOptions;
  readonly #sessions = new Map<MediaSession, WorkerHandle>();
  #recorder: Recorder | null = null;
  #sockets: ChosenSockets['type'] | null = null;
  #closed = false;
  #onEmpty: (() => void) | null = null;

  constructor(options: MediaServiceOptions) {
    this.#options = options;
    this.#ports = new PortPool(options.ports ?? DEFAULT_RTP_PORTS, (below) => randomInt(below));
    const count = options.workers ?? Math.max(1, availableParallelism() - 1);
    this.#callsMax = options.callsMax ?? count * CALLS_PER_WORKER;
    const handleOptions: WorkerHandleOptions = {
      bindAddress: options.bindAddress ?? '127.0.0.1',
      sockets: options.sockets ?? 'auto',
      onReleased: (session) => this.#released(session),
      onExit: (reason) => options.onWorkerExit?.(reason),
      onSockets: (chosen) => this.#setSockets(chosen),
    };
    this.#handles = Array.from({ length: count }, () => new WorkerHandle(handleOptions));
    this.workers = this.#handles.map(viewOf);
  }

  async ready(): Promise<void> {
    const code = await withTimeout(
      Promise.all(this.#handles.map(({ loaded }) => loaded)).then(() => null),
      START_TIMEOUT_MS,
      timedOut,
    );
    if (code !== null) throw new MediaServiceError('no_worker', `A media worker did not load: ${code}`);
  }

  async open(options: RtpMediaSessionOptions): Promise<RtpMediaSession> {
    const beside = options.beside && this.#sessions.get(options.beside);
    const [session, handle] = this.#reserveSlot(
      options,
      beside,
      (slotOptions) => new RtpSessionHandle(slotOptions, options.codec),
    );
    try {
      await this.#bind(session, handle);
      return session;
    } catch (error) {
      session.close();
      throw error;
    }
  }

  async openWeb(options: WebMediaSessionOptions): Promise<WebMediaSession> {
    const [session, handle] = this.#reserveSlot(options, undefined, (slotOptions) => new WebSessionHandle(slotOptions));
    const code = await withTimeout(handle.open(session), OPEN_TIMEOUT_MS, timedOut);
    if (code === null) return session;
    session.close();
    throw openFailed(code);
  }

  capacity(): ReturnType<MediaService['capacity']> {
    if (this.#closed || this.#sessions.size >= this.#callsMax || this.#ports.isEmpty) return refusal(RETRY_FULL_S);
    return this.#handles.some((handle) => this.#acceptsCalls(handle)) ? { accepted: true } : refusal(RETRY_LOADED_S);
  }

  load(): number {
    const alive = this.#handles.filter(({ alive }) => alive);
    return alive.length === 0 ? 0 : Math.min(...alive.map((handle) => this.#loadOf(handle)));
  }

  statistics(): Promise<MediaStatistics> {
    const workers = this.#handles.map((handle) => handle.statistics);
    const sum = (pick: (worker: WorkerHandle['statistics']) => number) =>
      workers.reduce((total, worker) => total + pick(worker), 0);
    return Promise.resolve({
      sessions: this.#sessions.size,
      packetsReceived: sum((worker) => worker.received),
      packetsSent: sum((worker) => worker.sent),
      packetsDropped: sum((worker) => worker.dropped),
      latenessP99Ms: Math.max(...workers.map((worker) => worker.latenessP99Ms)),
      busyShare: Math.max(...workers.map((worker) => worker.busyShare)),
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const session of this.#sessions.keys()) session.close();
    if (this.#sessions.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
        this.#onEmpty = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    await Promise.all(this.#handles.map((handle) => handle.end()));
    await this.#recorder?.close();
  }

  /** Creates a session in a free slot. The worker does not know it yet. */
  #reserveSlot<L extends SessionHandle>(
    options: MediaSessionOptions,
    beside: WorkerHandle | undefined,
    make: (options: SessionHandleOptions) => L,
  ): readonly [L, WorkerHandle] {
    if (this.#closed) throw new MediaServiceError('closed', 'The media service is closed');
    const handle = beside ?? this.#leastBusy();
    const slot = handle.takeSlot();
    if (slot === null) throw new MediaServiceError('no_slot', 'Every media worker is full');
    const session: L = make({
      ...options,
      key: slot.key,
      memory: slot.memory,
      recording: this.#startRecording(options.recordingPath),
      post: (command) => handle.post(command),
      onClose: () => handle.close(session),
    });
    this.#sessions.set(session, handle);
    return [session, handle];
  }

  /** A port pair in use by another process goes to the end of the pool, so the next call does not try it again. */
  async #bind(session: RtpSessionHandle, handle: WorkerHandle): Promise<void> {
    for (let attempt = 0; attempt < PORT_ATTEMPTS_MAX; attempt++) {
      const port = this.#ports.take();
      if (port === null) break;
      session.port = port;
      const code = await withTimeout(handle.open(session), OPEN_TIMEOUT_MS, timedOut);
      if (code === null) return;
      if (code !== 'EADDRINUSE') throw openFailed(code);
      session.port = 0;
      this.#ports.give(port);
    }
    throw new MediaServiceError('no_port', 'No RTP port is free');
  }

  #leastBusy(): WorkerHandle {
    const open = this.#handles.filter((handle) => !handle.full);
    const ready = open.filter((handle) => this.#acceptsCalls(handle));
    const candidates = ready.length > 0 ? ready : open;
    const [first, ...others] = candidates;
    if (first === undefined) throw new MediaServiceError('no_slot', 'Every media worker is full');
    return others.reduce((least, handle) => (handle.size < least.size ? handle : least), first);
  }

  #acceptsCalls(handle: WorkerHandle): boolean {
    return handle.alive && !handle.full && this.#loadOf(handle) <= 1;
  }

  #loadOf({ statistics }: WorkerHandle): number {
    return loadShare(statistics, this.#options.latenessMsMax ?? DEFAULT_LATENESS_MS_MAX);
  }

  #startRecording(path: string | undefined) {
    if (path === undefined) return null;
    const { lowWaterBytes, onRecordingIncomplete } = this.#options;
    this.#recorder ??= new Recorder({
      ...(lowWaterBytes !== undefined && { lowWaterBytes }),
      ...(onRecordingIncomplete !== undefined && { onIncomplete: onRecordingIncomplete }),
    });
    return this.#recorder.start(path);
  }

  #setSockets(chosen: ChosenSockets): void {
    if (chosen.type === this.#sockets) return;
    this.#sockets = chosen.type;
    this.#options.onSockets?.(chosen);
  }

  #released(session: SessionHandle): void {
    if (!this.#sessions.delete(session)) return;
    if (session instanceof RtpSessionHandle && session.port !== 0) this.#ports.give(session.port);
    session.released();
    if (this.#sessions.size === 0) this.#onEmpty?.();
  }
}

function openFailed(code: string): MediaServiceError {
  return new MediaServiceError('no_worker', `No media worker took the call: ${code}`);
}

function refusal(retryAfterSeconds: number) {
  return { accepted: false, retryAfterSeconds } as const;
}

function viewOf(handle: WorkerHandle): MediaWorkerView {
  return {
    get threadId() {
      return handle.threadId;
    },
    get sockets() {
      return handle.sockets;
    },
    get calls() {
      return handle.size;
    },
    get skipped() {
      return handle.statistics.skipped;
    },
    get underruns() {
      return handle.statistics.underruns;
    },
  };
}

function timedOut(): string {
  return 'ETIMEDOUT';
}
