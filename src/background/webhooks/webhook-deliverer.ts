import type { Logger } from 'pino';
import type { Clock } from '../../../base/time/clock.ts';
import type { DeliveryAttempt, DueDelivery } from '../../storage/events/outbox-repository.ts';
import { type AttemptResult, attemptDelivery, type HttpClient } from './delivery-attempt.ts';
import type { OutboxStore, ReceiverStore } from './outbox-store.ts';
import { retryDelayMs } from './retry-schedule.ts';
import { signedRequest } from './signed-request.ts';

export interface WebhookDelivererOptions {
  readonly outbox: OutboxStore;
  readonly receivers: ReceiverStore;
  readonly http: HttpClient;
  readonly clock: Pick<Clock, 'wallMs' | 'after'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** Requests at once; further events wait in the outbox. */
const IN_FLIGHT_MAX = 256;
/** Requests at once to one agent's receiver. */
const IN_FLIGHT_PER_AGENT_MAX = 8;
/** The same while the receiver does not answer: a receiver that hangs holds one place, not all. */
const IN_FLIGHT_PER_SILENT_AGENT_MAX = 1;
/** Agents that are remembered as silent; past it all are forgotten, and those that are still silent found out again. */
const SILENT_AGENTS_MAX = 10_000;
/** Events looked at in one pass. */
const PAGE_EVENTS = 256;
/** From one pass over the outbox to the next, so that a storm of wake-ups costs one query each 50 ms. */
const PASS_GAP_MS = 50;
/** Without a wake-up the outbox is looked at this often; only an event handed over without one waits so long. */
const POLL_MS = 30_000;
/** After the database failed, and while the outbox cannot say when the next attempt is due. */
const STORE_RETRY_MS = 1_000;

/**
 * Delivers the outbox's events to agents' receivers: in order within a call as the outbox gives them, side by side
 * across calls, and at least once, for an event is marked only after its receiver has answered.
 */
export class WebhookDeliverer {
  readonly #options: WebhookDelivererOptions;
  /** By event id. */
  readonly #inFlight = new Map<string, Promise<void>>();
  /** By agent id; an agent without a request in flight has no entry. */
  readonly #inFlightOfAgent = new Map<string, number>();
  readonly #silentAgents = new Set<string>();
  /** Settled since the running pass asked the outbox: its answer may still hold them as due. */
  readonly #settledInPass = new Set<string>();
  #passing = false;
  /** When the next pass is to be, ms since 1970; set while a timer for it runs, or a pass that it waits for. */
  #nextPassMs: number | null = null;
  #cancelTimer = (): void => {};
  #lastPassMs = Number.NEGATIVE_INFINITY;
  #stopped = false;

  constructor(options: WebhookDelivererOptions) {
    this.#options = options;
  }

  /** Looks into the outbox soon: at the start, and whenever an event was handed over. Costs next to nothing. */
  wake(): void {
    this.#passAt(this.#nowMs());
  }

  /** Takes no further event and waits for the requests in flight, each bounded by its timeout. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer();
    await Promise.all(this.#inFlight.values());
  }

  #nowMs(): number {
    return this.#options.clock.wallMs();
  }

  /** The earliest wish wins. */
  #passAt(wishMs: number): void {
    if (this.#stopped || (this.#nextPassMs !== null && this.#nextPassMs <= wishMs)) return;
    this.#nextPassMs = wishMs;
    if (this.#passing) return;
    this.#cancelTimer();
    const nowMs = this.#nowMs();
    // Bounded on both sides, so that a wall clock that jumps costs no more than one poll.
    const delayMs = Math.min(Math.max(wishMs, this.#lastPassMs + PASS_GAP_MS) - nowMs, POLL_MS);
    this.#cancelTimer = this.#options.clock.after(Math.max(delayMs, 0), () => {
      this.#pass().catch((error: unknown) => this.#options.log.warn({ err: error }, 'a webhook pass failed'));
    });
  }

  async #pass(): Promise<void> {
    this.#passing = true;
    this.#nextPassMs = null;
    this.#settledInPass.clear();
    const nowMs = this.#nowMs();
    this.#lastPassMs = nowMs;
    let wishMs = nowMs + STORE_RETRY_MS;
    try {
      wishMs = await this.#startDue(nowMs);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the webhook outbox could not be read');
    }
    this.#passing = false;
    const earliestMs = Math.min(wishMs, this.#nextPassMs ?? wishMs);
    this.#nextPassMs = null;
    this.#passAt(earliestMs);
  }

  /** Starts what is due and has room, and answers when to look again. */
  async #startDue(nowMs: number): Promise<number> {
    const { outbox } = this.#options;
    const fullAgents = [...this.#inFlightOfAgent.keys()].filter((agentId) => !this.#agentHasRoom(agentId));
    const limit = PAGE_EVENTS + this.#inFlight.size;
    const due = await outbox.dueDeliveries(nowMs, limit, fullAgents);
    let started = 0;
    for (const event of due) {
      if (this.#stopped || this.#inFlight.size >= IN_FLIGHT_MAX) break;
      if (this.#inFlight.has(event.id) || this.#settledInPass.has(event.id)) continue;
      if (!this.#agentHasRoom(event.agentId)) continue;
      this.#start(event);
      started += 1;
    }
    if (started > 0 && due.length === limit) return nowMs;
    const nextMs = await outbox.nextAttemptMs(nowMs);
    if (nextMs === null) return nowMs + POLL_MS;
    return nextMs > nowMs ? nextMs : nowMs + STORE_RETRY_MS;
  }

  #agentHasRoom(agentId: string): boolean {
    const max = this.#silentAgents.has(agentId) ? IN_FLIGHT_PER_SILENT_AGENT_MAX : IN_FLIGHT_PER_AGENT_MAX;
    return (this.#inFlightOfAgent.get(agentId) ?? 0) < max;
  }

  #start(event: DueDelivery): void {
    const { agentId, id } = event;
    this.#inFlightOfAgent.set(agentId, (this.#inFlightOfAgent.get(agentId) ?? 0) + 1);
    const delivery = this.#deliver(event).then(() => {
      const left = (this.#inFlightOfAgent.get(agentId) ?? 1) - 1;
      if (left === 0) this.#inFlightOfAgent.delete(agentId);
      else this.#inFlightOfAgent.set(agentId, left);
      this.#inFlight.delete(id);
      if (this.#passing) this.#settledInPass.add(id);
      this.wake();
    });
    this.#inFlight.set(id, delivery);
  }

  /** Never rejects. */
  async #deliver(event: DueDelivery): Promise<void> {
    const { http, receivers, log } = this.#options;
    const attemptedMs = this.#nowMs();
    const result = await attemptDelivery(http, async () => {
      const secrets = await receivers.signingSecrets(event.agentId, attemptedMs);
      return signedRequest(event, secrets, attemptedMs);
    });
    this.#noteSilence(event.agentId, result);
    try {
      await this.#settle(event, result, attemptedMs);
    } catch (error) {
      log.warn({ err: error, event_id: event.id, call_id: event.callId }, 'a webhook attempt could not be stored');
      // The event is still due. Held back for a while, it is not sent over and over while the database is away.
      await this.#pause(STORE_RETRY_MS);
    }
  }

  #noteSilence(agentId: string, { httpStatus }: AttemptResult): void {
    if (httpStatus !== null) {
      this.#silentAgents.delete(agentId);
      return;
    }
    if (this.#silentAgents.size >= SILENT_AGENTS_MAX) this.#silentAgents.clear();
    this.#silentAgents.add(agentId);
  }

  async #settle(event: DueDelivery, result: AttemptResult, attemptedMs: number): Promise<void> {
    const { outbox, receivers, log } = this.#options;
    const nowMs = this.#nowMs();
    const { verdict, httpStatus, outcome } = result;
    const made: DeliveryAttempt = { attemptedMs, durationMs: nowMs - attemptedMs, httpStatus, outcome };
    const about = { event_id: event.id, call_id: event.callId, agent_id: event.agentId, http_status: httpStatus };
    switch (verdict) {
      case 'received':
        return outbox.markDelivered(event.id, made);
      case 'gone':
        log.warn(about, 'the webhook receiver answered 410: switched off until its URL is set again');
        await receivers.disableWebhook(event.agentId, event.url, nowMs);
        return outbox.markFailed(event.id, made, null);
      case 'failed': {
        const delayMs = retryDelayMs(event.attempts + 1);
        if (delayMs === null) log.warn(about, 'a webhook was given up');
        return outbox.markFailed(event.id, made, delayMs === null ? null : nowMs + delayMs);
      }
    }
  }

  #pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#options.clock.after(delayMs, resolve);
    });
  }
}
