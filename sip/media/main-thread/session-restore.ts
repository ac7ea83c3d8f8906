import { ReservedPorts } from '../udp/reserved-ports.ts';

/** A call fails if no worker has opened it after this time. A busy machine takes seconds to load a worker. */
const DEADLINE_MS = 10_000;
/** A call fails if its ports could not be bound for this long. */
const REFUSED_MS = 1000;
const REBIND_INTERVAL_MS = 50;

export interface SessionRestoreOptions {
  readonly address: string;
  /** The call's RTP port; RTCP has the next one. Null: a call without ports. */
  readonly port: number | null;
  /** Not called after `end`. The callee must call `end`. */
  readonly onFailed: () => void;
}

/** A call between the exit of its worker and its restore in the next worker. */
export class SessionRestore {
  readonly #options: SessionRestoreOptions;
  readonly #sinceMs = performance.now();
  readonly #deadline: NodeJS.Timeout;
  #held: ReservedPorts | null = null;
  #refusedSinceMs: number | null = null;
  #retry: NodeJS.Timeout | null = null;

  constructor(options: SessionRestoreOptions) {
    this.#options = options;
    this.#deadline = setTimeout(options.onFailed, DEADLINE_MS);
    this.wait();
  }

  /** How long the call has been without a worker. */
  get absentMs(): number {
    return performance.now() - this.#sinceMs;
  }

  /** No worker runs: reserves the ports. Called again if the next worker exits before it has opened the call. */
  wait(): void {
    this.begin();
    this.#refusedSinceMs = null;
    const { address, port } = this.#options;
    if (port !== null) this.#held = new ReservedPorts(address, port);
  }

  /** A worker is about to bind the ports: releases them. */
  begin(): void {
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
    this.#held?.release();
    this.#held = null;
  }

  /** The worker could not bind the ports: calls `again` soon, or fails the call. */
  refused(again: () => void): void {
    const nowMs = performance.now();
    this.#refusedSinceMs ??= nowMs;
    if (nowMs - this.#refusedSinceMs < REFUSED_MS) this.#retry = setTimeout(again, REBIND_INTERVAL_MS);
    else this.#options.onFailed();
  }

  /** A worker has opened the call, or the call has ended. */
  end(): void {
    clearTimeout(this.#deadline);
    this.begin();
  }
}
