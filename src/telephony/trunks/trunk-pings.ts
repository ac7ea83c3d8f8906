import type { Clock } from '../../../base/time/clock.ts';
import type { PingOutcome, Signalling } from '../../../sip/signalling/signalling.ts';
import type { Log } from '../../log/log.ts';
import type { SipTrunkRecord, SipTrunkRepository } from '../../storage/telephony/sip-trunk-repository.ts';
import { ReachabilityHistory, type ReachabilityInterval } from './reachability-history.ts';
import { trunkAddress } from './trunk-address.ts';

/** Maximum time until this node applies a trunk change that another node made. */
const REFRESH_MS = 30_000;
/** Responses of a trunk that accepts no calls, as for failover (RFC 3263 §4.3, RFC 3261 §21.5.4). */
const UNAVAILABLE_STATUSES = [408, 503];

/** The result of the last OPTIONS to a trunk. */
export interface Reachability {
  readonly reachable: boolean;
  /** SIP status of the response; null: no response came. */
  readonly status: number | null;
  /** null: no response came. */
  readonly roundTripMs: number | null;
  /** Why no response came; null: a response came. */
  readonly error: string | null;
  /** Wall clock at the last change of `reachable`. */
  readonly sinceMs: number;
}

export interface TrunkPingsOptions {
  readonly trunks: Pick<SipTrunkRepository, 'pinged'>;
  readonly signalling: Pick<Signalling, 'ping'>;
  readonly clock: Pick<Clock, 'after' | 'wallMs'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** A trunk has its first result, or became reachable or unreachable. */
  readonly onChange: () => void;
}

/** A trunk that is pinged, and the settings that the pings use. */
interface PingedTrunk {
  readonly trunk: SipTrunkRecord;
  readonly settings: string;
  readonly history: ReachabilityHistory;
  stop: () => void;
  state: Reachability | null;
}

/**
 * Pings the trunks that have an `options_interval`, at most one OPTIONS per trunk at a time. Every node pings, because
 * reachability differs between nodes.
 */
export class TrunkPings {
  readonly #options: TrunkPingsOptions;
  readonly #pinged = new Map<string, PingedTrunk>();
  #running: Promise<void> = Promise.resolve();
  #stopTimer = () => {};
  #stopped = false;

  constructor(options: TrunkPingsOptions) {
    this.#options = options;
  }

  /** Reads the trunks again and pings new and changed ones at once. Never rejects: on a failure the previous trunks stay. */
  refresh(): Promise<void> {
    this.#running = this.#running.then(() => this.#read());
    return this.#running;
  }

  /** null for a trunk that is not pinged, or has no result yet. */
  state(trunkId: string): Reachability | null {
    return this.#pinged.get(trunkId)?.state ?? null;
  }

  /** The checks of the last day, oldest first; empty for a trunk that is not pinged. A changed address begins again. */
  history(trunkId: string): readonly ReachabilityInterval[] {
    return this.#pinged.get(trunkId)?.history.intervals(this.#options.clock.wallMs()) ?? [];
  }

  /** False for a trunk without a result. An arrow function, because it is passed on alone. */
  readonly isUnreachable = (trunkId: string): boolean => this.state(trunkId)?.reachable === false;

  /** The states of all trunks that have one. */
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
      log.warn({ err: error }, 'trunk ping list reload failed');
    }
    if (!this.#stopped) this.#stopTimer = clock.after(REFRESH_MS, () => void this.refresh());
  }

  #take(trunks: readonly SipTrunkRecord[]): void {
    if (this.#stopped) return;
    const pingedIds = new Set(trunks.map(({ id }) => id));
    for (const id of [...this.#pinged.keys()]) if (!pingedIds.has(id)) this.#drop(id);
    for (const trunk of trunks) {
      const settings = JSON.stringify([trunk.terminationUri, trunk.transport, trunk.optionsIntervalSeconds]);
      if (this.#pinged.get(trunk.id)?.settings === settings) continue;
      this.#drop(trunk.id);
      const pinged: PingedTrunk = { trunk, settings, history: new ReachabilityHistory(), stop: () => {}, state: null };
      this.#pinged.set(trunk.id, pinged);
      void this.#ping(pinged);
    }
  }

  #drop(trunkId: string): void {
    this.#pinged.get(trunkId)?.stop();
    this.#pinged.delete(trunkId);
  }

  async #ping(pinged: PingedTrunk): Promise<void> {
    const { clock, signalling } = this.#options;
    const { trunk } = pinged;
    const outcome = await signalling.ping(trunkAddress(trunk));
    if (this.#pinged.get(trunk.id) !== pinged) return;
    this.#report(pinged, outcome);
    const waitMs = (trunk.optionsIntervalSeconds ?? 0) * 1_000;
    pinged.stop = clock.after(waitMs, () => void this.#ping(pinged));
  }

  #report(pinged: PingedTrunk, outcome: PingOutcome): void {
    const { clock, log, onChange } = this.#options;
    const answered = outcome.type === 'answered';
    const reachable = answered && !UNAVAILABLE_STATUSES.includes(outcome.status);
    const { state: before, trunk } = pinged;
    const state: Reachability = {
      reachable,
      status: answered ? outcome.status : null,
      roundTripMs: answered ? outcome.roundTripMs : null,
      error: answered ? null : outcome.reason,
      sinceMs: before?.reachable === reachable ? before.sinceMs : clock.wallMs(),
    };
    pinged.state = state;
    pinged.history.add(clock.wallMs(), state);
    if (before?.reachable === reachable) return;
    onChange();
    const fields = { trunk_id: trunk.id, status: state.status, error: state.error };
    if (reachable) log.info(fields, 'trunk became reachable');
    else log.warn(fields, 'trunk became unreachable');
  }
}
