import type { Logger } from 'pino';
import type { Clock } from '../../../base/time/clock.ts';
import type { PingOutcome, Signalling } from '../../../sip/signalling/signalling.ts';
import type { SipTrunkRecord, SipTrunkRepository } from '../../storage/telephony/sip-trunk-repository.ts';
import { trunkAddress } from './trunk-access.ts';

/** Trunks that another node was fields of are known here after this long. */
const REFRESH_MS = 30_000;
/** What failover takes for a trunk that cannot take calls (RFC 3263 §4.3, RFC 3261 §21.5.4). */
const NOT_THERE = [408, 503];

/** What the last OPTIONS to a trunk told. */
export interface Reachability {
  readonly reachable: boolean;
  /** Of its answer; null: none came. */
  readonly status: number | null;
  /** null: no answer came. */
  readonly roundTripMs: number | null;
  /** Why none came; null: one did. */
  readonly error: string | null;
  /** Wall clock: since when it is reachable, or is not. */
  readonly sinceMs: number;
}

export interface TrunkPingsOptions {
  readonly trunks: Pick<SipTrunkRepository, 'pinged'>;
  readonly signalling: Pick<Signalling, 'ping'>;
  readonly clock: Pick<Clock, 'after' | 'wallMs'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/** A trunk that is being pinged on these terms. */
interface Pinged {
  readonly trunk: SipTrunkRecord;
  readonly terms: string;
  stop: () => void;
  state: Reachability | null;
}

/**
 * Whether the trunks that want to be pinged are there, as this node sees it: each node pings for itself, for what one
 * reaches another may not. One OPTIONS a trunk at a time.
 */
export class TrunkPings {
  readonly #options: TrunkPingsOptions;
  readonly #pinged = new Map<string, Pinged>();
  #running: Promise<void> = Promise.resolve();
  #stopTimer = () => {};
  #stopped = false;

  constructor(options: TrunkPingsOptions) {
    this.#options = options;
  }

  /** Reads the trunks anew; those that are new or changed are pinged at once. Never rejects: those before are kept. */
  refresh(): Promise<void> {
    this.#running = this.#running.then(() => this.#read());
    return this.#running;
  }

  /** null for a trunk that is not pinged, or was not answered for yet. */
  state(trunkId: string): Reachability | null {
    return this.#pinged.get(trunkId)?.state ?? null;
  }

  /** False for one of which nothing is known. Bound, for it is handed on alone. */
  readonly isUnreachable = (trunkId: string): boolean => this.state(trunkId)?.reachable === false;

  /** Of every trunk that has one. */
  states(): ReadonlyMap<string, Reachability> {
    return new Map([...this.#pinged].flatMap(([id, { state }]) => (state === null ? [] : [[id, state]])));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopTimer();
    for (const id of [...this.#pinged.keys()]) this.#drop(id);
    await this.#running;
  }

  async #read(): Promise<void> {
    if (this.#stopped) return;
    this.#stopTimer();
    const { clock, log, trunks } = this.#options;
    try {
      this.#take(await trunks.pinged());
    } catch (error) {
      log.warn({ err: error }, 'the trunks to ping could not be read; those known before are pinged');
    }
    if (!this.#stopped) this.#stopTimer = clock.after(REFRESH_MS, () => void this.refresh());
  }

  #take(trunks: readonly SipTrunkRecord[]): void {
    if (this.#stopped) return;
    const wanted = new Set(trunks.map(({ id }) => id));
    for (const id of [...this.#pinged.keys()]) if (!wanted.has(id)) this.#drop(id);
    for (const trunk of trunks) {
      const terms = JSON.stringify([trunk.terminationUri, trunk.transport, trunk.optionsIntervalSeconds]);
      if (this.#pinged.get(trunk.id)?.terms === terms) continue;
      this.#drop(trunk.id);
      const pinged: Pinged = { trunk, terms, stop: () => {}, state: null };
      this.#pinged.set(trunk.id, pinged);
      void this.#ping(pinged);
    }
  }

  #drop(trunkId: string): void {
    this.#pinged.get(trunkId)?.stop();
    this.#pinged.delete(trunkId);
  }

  async #ping(pinged: Pinged): Promise<void> {
    const { clock, signalling } = this.#options;
    const { trunk } = pinged;
    const outcome = await signalling.ping(trunkAddress(trunk));
    if (this.#pinged.get(trunk.id) !== pinged) return;
    this.#report(pinged, outcome);
    const waitMs = (trunk.optionsIntervalSeconds ?? 0) * 1_000;
    pinged.stop = clock.after(waitMs, () => void this.#ping(pinged));
  }

  #report(pinged: Pinged, outcome: PingOutcome): void {
    const { clock, log } = this.#options;
    const answered = outcome.type === 'answered';
    const reachable = answered && !NOT_THERE.includes(outcome.status);
    const { state: before, trunk } = pinged;
    const state: Reachability = {
      reachable,
      status: answered ? outcome.status : null,
      roundTripMs: answered ? outcome.roundTripMs : null,
      error: answered ? null : outcome.reason,
      sinceMs: before?.reachable === reachable ? before.sinceMs : clock.wallMs(),
    };
    pinged.state = state;
    if (before?.reachable === reachable) return;
    const fields = { trunk_id: trunk.id, status: state.status, error: state.error };
    if (reachable) log.info(fields, 'a trunk can be reached');
    else log.warn(fields, 'a trunk cannot be reached; others are tried before it');
  }
}
