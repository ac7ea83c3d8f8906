import type { Clock } from '../../../base/time/clock.ts';
import { turnTimes } from '../../../engine/metrics/turn-times.ts';
import type { TurnRecord } from '../../../engine/ports/turn-record.ts';
import type { Log } from '../../log/log.ts';
import type { CallRollup } from '../../storage/analytics/rollup.ts';
import type { CallText } from '../../storage/call-search/call-text.ts';
import { searchedText } from '../../storage/call-search/text-query.ts';
import type { Repositories } from '../../storage/repositories.ts';
import { WakeLoop } from '../knowledge/wake-loop.ts';
import { callRollup, type EndedCall } from './call-rollup.ts';

/** Calls of one round, in one transaction. Each takes about a millisecond of the main thread. */
const ROUND_CALLS = 20;
/** Pause between rounds while more calls wait, so that a backlog of old calls disturbs no live one: 100 calls a second. */
const ROUND_PAUSE_MS = 200;
/** Poll interval, for calls that another node ended, or whose wake-up was lost. */
const POLL_MS = 15_000;

export interface RollupRunnerOptions {
  readonly repositories: Pick<Repositories, 'calls' | 'journal' | 'rollups'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Adds ended calls to the rollups and their texts to the full-text index, then stores their longest response times. Those that ended
 * before these existed too.
 */
export class RollupRunner {
  readonly #options: RollupRunnerOptions;
  readonly #loop: WakeLoop;

  constructor(options: RollupRunnerOptions) {
    this.#options = options;
    this.#loop = new WakeLoop(options.clock, () => this.#round());
  }

  /** Looks for ended calls. Called at the start and after the end of a call. */
  wake(): void {
    this.#loop.wake();
  }

  /** Finishes the current round. Calls that wait are added after the next start. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #round(): Promise<number> {
    const { log, repositories } = this.#options;
    try {
      const due = await repositories.rollups.due(ROUND_CALLS);
      if (due.length === 0) return (await this.#fillSlowest()) ? ROUND_PAUSE_MS : POLL_MS;
      const calls: CallRollup[] = [];
      const texts: CallText[] = [];
      for (const job of due) {
        const call = await this.#endedCall(job.callId);
        const rollup = call === null || job.isCounted ? null : this.#rollupOf(call);
        if (rollup !== null) calls.push(rollup);
        if (call === null) await repositories.rollups.discard(job.callId);
        else texts.push({ callId: job.callId, words: heardText(call.transcript) });
      }
      // False: another node has added one of them. The next round reads the rest.
      await repositories.rollups.add(calls, texts);
      return ROUND_PAUSE_MS;
    } catch (error) {
      log.warn({ err: error }, 'call rollup failed');
      return POLL_MS;
    }
  }

  /** Stores the longest response time of some calls that lack it. False: no call does. Rejects with a `DatabaseError`. */
  async #fillSlowest(): Promise<boolean> {
    const { journal, rollups } = this.#options.repositories;
    const callIds = await rollups.withoutSlowestResponse(ROUND_CALLS);
    for (const callId of callIds) {
      const turns = await journal.turns(callId);
      await rollups.setSlowestResponse(callId, this.#slowestResponseMs(callId, turns));
    }
    return callIds.length > 0;
  }

  /** Null without a response time, and for records that cannot be read: such a call must not hold up the others. */
  #slowestResponseMs(callId: string, turns: readonly TurnRecord[]): number | null {
    try {
      const times = turns.flatMap((turn) => turnTimes(turn).responseMs ?? []);
      return times.length === 0 ? null : Math.max(...times);
    } catch (error) {
      this.#options.log.warn({ err: error, call_id: callId }, 'call excluded from analytics');
      return null;
    }
  }

  /** Null for a call that is not stored. Rejects with a `DatabaseError`. */
  async #endedCall(callId: string): Promise<EndedCall | null> {
    const { calls, journal } = this.#options.repositories;
    const [call, transcript, turns, spans] = await Promise.all([
      calls.find(callId),
      journal.transcript(callId),
      journal.turns(callId),
      journal.spans(callId),
    ]);
    return call === null ? null : { call, transcript, turns, spans };
  }

  /** Null for a call that can never be counted: it must not hold up the others. */
  #rollupOf(ended: EndedCall): CallRollup | null {
    try {
      return callRollup(ended);
    } catch (error) {
      this.#options.log.warn({ err: error, call_id: ended.call.id }, 'call excluded from analytics');
      return null;
    }
  }
}

/** The words of both sides that were heard. */
function heardText(transcript: EndedCall['transcript']): string {
  return searchedText(
    transcript.flatMap(({ content, role }) => (role === 'user' || role === 'agent' ? [content] : [])),
  );
}
