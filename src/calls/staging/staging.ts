import type { Clock } from '../../../base/time/clock.ts';
import { pause } from '../../../base/time/pause.ts';
import { withTimeout } from '../../../base/time/with-timeout.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import type { CallRepository } from '../../storage/calls/call-repository.ts';
import { persist } from '../journal/persist.ts';
import type { StagingOutcome } from '../requests/call-service.ts';

/** How long a staged call waits for its INVITE (specification, «Limits»). */
export const STAGING_TIMEOUT_MS = 60_000;
/** How long an INVITE that came before its call was ready is kept ringing (decisions, «Staging races»). */
export const READY_WAIT_MS = 10_000;
/** From one look at a call that another node prepares to the next. */
const ELSEWHERE_LOOK_MS = 100;
/** After a database that did not answer. */
const EXPIRE_RETRY_MS = 1_000;

export interface StagingOptions {
  readonly calls: Pick<CallRepository, 'find' | 'setStatus' | 'finish' | 'expireStaged'>;
  /** Of this process, where others prepare calls as well. */
  readonly nodeId: string | null;
  readonly clock: Clock;
  /** Gets everything ready that can be before the INVITE; rejects with what is wrong. */
  readonly prepare: (call: Pick<CallRecord, 'id' | 'agentId' | 'agentVersion'>) => Promise<void>;
  readonly onStored: () => void;
  readonly onFault: (callId: string, message: string) => void;
}

/**
 * Staged calls from their order to their claim or their end. The deadline that counts is the row's; the timers here only
 * look when it has come, so a restart loses nothing.
 */
export class Staging {
  readonly #options: StagingOptions;
  readonly #preparing = new Map<string, Promise<StagingOutcome>>();
  readonly #timers = new Map<string, () => void>();
  /** The sweep under way, which never rejects, and the one that begins behind it; null where nobody waits for one. */
  #sweeping: Promise<void> = Promise.resolve();
  #nextSweep: Promise<void> | null = null;

  constructor(options: StagingOptions) {
    this.#options = options;
  }

  /** Prepares a call that was stored as `initiated`. */
  begin(call: Pick<CallRecord, 'id' | 'agentId' | 'agentVersion'>): Promise<StagingOutcome> {
    const ready = this.#prepare(call).finally(() => this.#preparing.delete(call.id));
    this.#preparing.set(call.id, ready);
    return ready;
  }

  /**
   * For an INVITE that came early: true once the call may be claimed, false where its preparation failed or took too long.
   * One that is not being prepared any more has settled since its row was read: the claim tells how. One that another node
   * prepares is looked at until it has.
   */
  async settled({ id, nodeId }: Pick<CallRecord, 'id' | 'nodeId'>): Promise<boolean> {
    const preparing = this.#preparing.get(id);
    if (preparing === undefined) return nodeId === this.#options.nodeId || this.#settledElsewhere(id);
    const outcome = await withTimeout(preparing, READY_WAIT_MS, () => null, this.#options.clock);
    return outcome?.type === 'staged';
  }

  async #settledElsewhere(callId: string): Promise<boolean> {
    const { calls, clock } = this.#options;
    for (let waitedMs = 0; waitedMs < READY_WAIT_MS; waitedMs += ELSEWHERE_LOOK_MS) {
      const call = await calls.find(callId);
      if (call?.status !== 'initiated') return call?.status === 'staged';
      await pause(clock, ELSEWHERE_LOOK_MS);
    }
    return false;
  }

  /** Looks again when the call's deadline comes; also for those that an earlier process staged. */
  watch(callId: string, deadlineMs: number): void {
    const { clock } = this.#options;
    const look = () => {
      this.#timers.delete(callId);
      // Timers and the wall clock are not the same clock: one may be a little ahead of the other.
      if (clock.wallMs() < deadlineMs) this.watch(callId, deadlineMs);
      else void this.#expire(callId, deadlineMs);
    };
    this.#timers.set(callId, clock.after(Math.max(1, deadlineMs - clock.wallMs()), look));
  }

  /** The call was claimed or ended: nothing is waited for any more. */
  forget(callId: string): void {
    this.#timers.get(callId)?.();
    this.#timers.delete(callId);
  }

  close(): void {
    for (const stop of this.#timers.values()) stop();
    this.#timers.clear();
  }

  async #prepare(call: Pick<CallRecord, 'id' | 'agentId' | 'agentVersion'>): Promise<StagingOutcome> {
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
      if (!staged) return { type: 'failed', message: 'the call was ended while it was prepared' };
      this.watch(call.id, deadlineMs);
      return { type: 'staged' };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#options.onFault(call.id, message);
      const end = { status: 'failed', endReason: 'internal_error', atMs: clock.wallMs() } as const;
      await persist(() => calls.finish(call.id, end));
      return { type: 'failed', message };
    } finally {
      onStored();
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
   * Ends all calls whose deadline has come. One sweep runs at a time, and all whose deadlines come meanwhile share the next:
   * a campaign's calls, staged together, would else each end all of the others as well.
   */
  #sweep(): Promise<void> {
    this.#nextSweep ??= this.#sweeping.then(async () => {
      this.#nextSweep = null;
      const { calls, clock, onStored } = this.#options;
      await calls.expireStaged(clock.wallMs());
      onStored();
    });
    this.#sweeping = this.#nextSweep.catch(() => {});
    return this.#nextSweep;
  }
}
