import type { CallersNotice } from '../rig/process-messages.ts';
import type { Rig } from '../rig/rig.ts';

/** HTTP and SIP have the same number for it. */
export const UNAVAILABLE = 503;
/** A call that has not ended this long after the last arrival hangs, ms. */
const END_MS_MAX = 60_000;

/** Counts what becomes of the offered calls. */
export class CallOutcomes {
  refusedByApi = 0;
  refusedBySip = 0;
  accepted = 0;
  mostAtOnce = 0;
  readonly faults: string[] = [];
  readonly #dialled = new Set<number>();
  #onEmpty: (() => void) | null = null;

  constructor({ callers }: Rig) {
    callers.process.on('message', (notice: CallersNotice) => {
      if (notice.type === 'ended') this.#ended(notice.call, notice.fault);
    });
  }

  dialled(call: number): void {
    this.#dialled.add(call);
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#dialled.size);
  }

  /** Resolves once every dialled call has ended. */
  async ended(): Promise<void> {
    if (this.#dialled.size === 0) return;
    const empty = Promise.withResolvers<void>();
    this.#onEmpty = empty.resolve;
    const timer = setTimeout(() => empty.reject(new Error(`${this.#dialled.size} calls did not end`)), END_MS_MAX);
    await empty.promise;
    clearTimeout(timer);
  }

  #ended(call: number, fault: string | null): void {
    this.#dialled.delete(call);
    if (fault?.includes(`(${UNAVAILABLE})`)) this.refusedBySip += 1;
    else {
      this.accepted += 1;
      if (fault !== null) this.faults.push(`caller ${call}: ${fault}`);
    }
    if (this.#dialled.size === 0) this.#onEmpty?.();
  }
}
