import type { Clock } from '../../../base/time/clock.ts';
import { pause } from '../../../base/time/pause.ts';
import { withTimeout } from '../../../base/time/with-timeout.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import type { CallRepository } from '../../storage/calls/call-repository.ts';
import { persist } from '../../storage/database/persist.ts';
import type { StagingOutcome } from '../api-requests/call-service.ts';

/** The fields of a call that its preparation needs. */
export type PreparedCall = Pick<CallRecord, 'id' | 'type' | 'agentId' | 'agentVersion' | 'agentOverrides'>;

/** How long a staged call waits for its INVITE. */
export const STAGING_TIMEOUT_MS = 60_000;
/** How long an INVITE rings that arrived before its call was staged. */
export const READY_WAIT_MS = 10_000;
/** Interval of checks for a call that another node prepares. */
const OTHER_NODE_POLL_MS = 100;
/** Retry delay after a database failure. */
const EXPIRE_RETRY_MS = 1_000;

export interface StagedCallsOptions {
  readonly calls: Pick<CallRepository, 'find' | 'setStatus' | 'finish' | 'expireStaged'>;
  /** Id of this node, where several prepare calls. */
  readonly nodeId: string | null;
  readonly clock: Clock;
  /** Prepares everything that is possible before the INVITE; rejects with the cause. */
  readonly prepare: (call: PreparedCall) => Promise<void>;
  /** Events of a call may be due for delivery. */
  readonly onStored: (callId: string) => void;
  readonly onFault: (callId: string, message: string) => void;
}

/**
 * Staged calls from their request to their claim or end. The deadline in the row counts; the timers here only check it, so a restart loses
 * nothing.
 */
export class StagedCalls {
  readonly #options: StagedCallsOptions;
  readonly #preparing = new Map<string, Promise<StagingOutcome>>();
  readonly #timers = new Map<string, () => void>();
  /** The sweep in progress, which never rejects, and the sweep after it; null if none is requested. */
  #sweeping: Promise<void> = Promise.resolve();
  #nextSweep: Promise<void> | null = null;

  constructor(options: StagedCallsOptions) {
    this.#options = options;
  }

  /** Prepares a call that was stored as `initiated`. */
  begin(call: PreparedCall): Promise<StagingOutcome> {
    const ready = this.#prepare(call).finally(() => this.#preparing.delete(call.id));
    this.#preparing.set(call.id, ready);
    return ready;
  }

  /**
   * Waits with an INVITE that came before the call was staged. True: the call may be claimed. False: its preparation failed or took too
   * long. Without a preparation in progress the call was settled after its row was read, and the claim fails if it must. A call of another
   * node is polled.
   */
  async settled({ id, nodeId }: Pick<CallRecord, 'id' | 'nodeId'>): Promise<boolean> {
    const preparing = this.#preparing.get(id);
    if (preparing === undefined) return nodeId === this.#options.nodeId || this.#settledElsewhere(id);
    const outcome = await withTimeout(preparing, READY_WAIT_MS, () => null, this.#options.clock);
    return outcome?.type === 'staged';
  }

  async #settledElsewhere(callId: string): Promise<boolean> {
    const { calls, clock } = this.#options;
    for (let waitedMs = 0; waitedMs < READY_WAIT_MS; waitedMs += OTHER_NODE_POLL_MS) {
      const call = await calls.find(callId);
      if (call?.status !== 'initiated') return call?.status === 'staged';
      await pause(clock, OTHER_NODE_POLL_MS);
    }
    return false;
  }

  /** Checks the call at its deadline; also for calls that an earlier process staged. */
  watch(callId: string, deadlineMs: number): void {
    const { clock } = this.#options;
    const check = () => {
      this.#timers.delete(callId);
      // Timers and the wall clock differ: one may be slightly ahead.
      if (clock.wallMs() < deadlineMs) this.watch(callId, deadlineMs);
      else void this.#expire(callId, deadlineMs);
    };
    this.#timers.set(callId, clock.after(Math.max(1, deadlineMs - clock.wallMs()), check));
  }

  /** The call was claimed or has ended: its timer stops. */
  forget(callId: string): void {
    this.#timers.get(callId)?.();
    this.#timers.delete(callId);
  }

  close(): void {
    for (const stop of this.#timers.values()) stop();
    this.#timers.clear();
  }

  async #prepare(call: PreparedCall): Promise<StagingOutcome> {
    const { calls, clock, onStored } = this.#options;
    try {
      await this.#options.prepare(call);
      const deadlineMs = clock.wallMs() + STAGING_TIMEOUT_MS;
      const change = {
        from: ['initiated'],
        to: 'staged',
        atMs: clock.wallMs(),
        patch: { stagingDeadlineMs: deadlineMs },
      } as const;
      const staged = await calls.setStatus(call.id, change);
      if (!staged) return { type: 'failed', message: 'the call ended during its preparation' };
      this.watch(call.id, deadlineMs);
      return { type: 'staged' };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#options.onFault(call.id, message);
      const end = { status: 'failed', endReason: 'internal_error', atMs: clock.wallMs() } as const;
      await persist(() => calls.finish(call.id, end));
      return { type: 'failed', message };
    } finally {
      onStored(call.id);
    }
  }

  async #expire(callId: string, deadlineMs: number): Promise<void> {
    const { clock } = this.#options;
    try {
      await this.#sweep();
    } catch (error) {
      this.#options.onFault(callId, error instanceof Error ? error.message : String(error));
      this.#timers.set(
        callId,
        clock.after(EXPIRE_RETRY_MS, () => this.watch(callId, deadlineMs)),
      );
    }
  }

  /**
   * Ends all calls past their deadline. One sweep runs at a time; deadlines that pass during a sweep share the next. Otherwise each of the
   * calls that a campaign staged together would start its own sweep.
   */
  #sweep(): Promise<void> {
    this.#nextSweep ??= this.#sweeping.then(async () => {
      this.#nextSweep = null;
      const { calls, clock, onStored } = this.#options;
      for (const callId of await calls.expireStaged(clock.wallMs())) onStored(callId);
    });
    this.#sweeping = this.#nextSweep.catch(() => {});
    return this.#nextSweep;
  }
}
