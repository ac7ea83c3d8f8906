import { ReservedPorts } from '../udp/reserved-ports.ts';

/** A call whose worker died is given up where no other holds it after so long: a busy machine takes seconds to load one. */
const DEADLINE_MS = 10_000;
/** And where its ports have been refused for so long. */
const REFUSED_MS = 1000;
const REBIND_INTERVAL_MS = 50;

export interface SessionRestoreOptions {
  /** Where the call's ports are, two from `port` on; null: it has none. */
  readonly address: string;
  readonly port: number | null;
  /** Not called after `end`, which it is to come to. */
  readonly giveUp: () => void;
}

/** A call between the death of its worker and the moment when another one holds it. */
export class SessionRestore {
  readonly #options: SessionRestoreOptions;
  readonly #sinceMs = performance.now();
  readonly #deadline: NodeJS.Timeout;
  #held: ReservedPorts | null = null;
  #refusedSinceMs: number | null = null;
  #retry: NodeJS.Timeout | null = null;

  constructor(options: SessionRestoreOptions) {
    this.#options = options;
    this.#deadline = setTimeout(options.giveUp, DEADLINE_MS);
    this.wait();
  }

  /** How long the call has been without a worker. */
  get absentMs(): number {
    return performance.now() - this.#sinceMs;
  }

  /** No worker lives: the ports are kept until one does. Again where that one died before it held the call. */
  wait(): void {
    this.begin();
    this.#refusedSinceMs = null;
    const { address, port } = this.#options;
    if (port !== null) this.#held = new ReservedPorts(address, port);
  }

  /** A worker is about to bind the ports. */
  begin(): void {
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
    this.#held?.release();
    this.#held = null;
  }

  /** It could not: `again` is called a moment later, or the call is given up. */
  refused(again: () => void): void {
    const nowMs = performance.now();
    this.#refusedSinceMs ??= nowMs;
    if (nowMs - this.#refusedSinceMs < REFUSED_MS) this.#retry = setTimeout(again, REBIND_INTERVAL_MS);
    else this.#options.giveUp();
  }

  /** A worker holds the call, or it is over. */
  end(): void {
    clearTimeout(this.#deadline);
    this.begin();
  }
}
