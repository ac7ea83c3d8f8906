import type { Clock } from '../../../base/time/clock.ts';

/** A staged call waits a minute for its caller; its preparation and a slow database come on top. */
const PLAN_US = 90_000_000;
/** Plans kept; beyond it the oldest is dropped, and its call has no warm connections. */
const PLANS_MAX = 20_000;

interface Plan<Host> {
  readonly host: Host;
  readonly untilUs: number;
}

/** Which host prepares a staged call: it keeps the connections that were opened for it. */
export class PlannedCalls<Host> {
  readonly #clock: Pick<Clock, 'nowUs'>;
  /** By call id, the oldest first: all plans last equally long. */
  readonly #plans = new Map<string, Plan<Host>>();

  constructor(clock: Pick<Clock, 'nowUs'>) {
    this.#clock = clock;
  }

  plan(callId: string, host: Host): void {
    this.#dropOld();
    this.#plans.delete(callId);
    this.#plans.set(callId, { host, untilUs: this.#clock.nowUs() + PLAN_US });
  }

  /** The host of this plan, which ends here; null without a plan. */
  take(callId: string): Host | null {
    const plan = this.#plans.get(callId);
    this.#plans.delete(callId);
    return plan?.host ?? null;
  }

  /** Calls planned for each host. */
  counts(): ReadonlyMap<Host, number> {
    this.#dropOld();
    const counts = new Map<Host, number>();
    for (const { host } of this.#plans.values()) counts.set(host, (counts.get(host) ?? 0) + 1);
    return counts;
  }

  #dropOld(): void {
    const nowUs = this.#clock.nowUs();
    for (const [callId, { untilUs }] of this.#plans) {
      if (untilUs > nowUs && this.#plans.size < PLANS_MAX) return;
      this.#plans.delete(callId);
    }
  }
}
