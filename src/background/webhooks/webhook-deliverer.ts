import type { Clock } from '../../../base/time/clock.ts';
import type { Log } from '../../log/log.ts';
import type { CallTracing } from '../../observability/opentelemetry/call-tracing.ts';
import type { DeliveryAttempt, DueDelivery } from '../../storage/events/outbox-repository.ts';
import { DatabaseError } from '../../storage/link/database-error.ts';
import { type AttemptResult, attemptDelivery, type HttpClient } from './delivery-attempt.ts';
import type { OutboxStore, ReceiverStore } from './outbox-store.ts';
import { retryDelayMs } from './retry-schedule.ts';
import { signedRequest } from './signed-request.ts';

export interface WebhookDelivererOptions {
  readonly outbox: OutboxStore;
  readonly receivers: ReceiverStore;
  readonly http: HttpClient;
  readonly clock: Pick<Clock, 'wallMs' | 'after'>;
  readonly log: Pick<Log, 'warn'>;
  /** The traces of calls; null: off. */
  readonly tracing?: Pick<CallTracing, 'delivery'> | null;
}

/** Simultaneous requests. Further events wait in the outbox. */
const IN_FLIGHT_MAX = 256;
/** Simultaneous requests to the receiver of one agent. */
const IN_FLIGHT_PER_AGENT_MAX = 8;
/** The same for an unresponsive receiver, so that it cannot occupy all slots. */
const IN_FLIGHT_PER_SILENT_AGENT_MAX = 1;
/** Agents tracked as unresponsive. Above this number the set is cleared and refills. */
const SILENT_AGENTS_MAX = 10_000;
/** Events per pass. */
const PAGE_EVENTS = 256;
/** Minimum time between two passes, so that many wake-ups cost one query per 50 ms. */
const PASS_GAP_MS = 50;
/** Poll interval, for events whose wake-up was lost. */
const POLL_MS = 30_000;
/** Pause after a database error, or if the next due time is unknown. */
const STORE_RETRY_MS = 1_000;

/**
 * Delivers the events of the outbox to the receivers of agents: in order within a call, concurrently across calls. At least once,
 * because an event is marked only after the response.
 */
export class WebhookDeliverer {
  readonly #options: WebhookDelivererOptions;
  /** Requests in flight by event id. */
  readonly #inFlight = new Map<string, Promise<void>>();
  /** Number of requests in flight by agent id. */
  readonly #inFlightOfAgent = new Map<string, number>();
  readonly #silentAgents = new Set<string>();
  /** Settled during the running pass: its query result may still contain them as due. */
  readonly #settledInPass = new Set<string>();
  #passing = false;
  /** Time of the next pass, ms since 1970. Set while its timer or the previous pass runs. */
  #nextPassMs: number | null = null;
  #cancelTimer = (): void => {};
  #lastPassMs = Number.NEGATIVE_INFINITY;
  #stopped = false;

  constructor(options: WebhookDelivererOptions) {
    this.#options = options;
  }

  /** Schedules a pass. Called at the start and for every new event; cheap. */
  wake(): void {
    this.#passAt(this.#nowMs());
  }

  /** Starts no further delivery and waits for the requests in flight, which their timeouts bound. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer();
    await Promise.all(this.#inFlight.values());
  }

  #nowMs(): number {
    return this.#options.clock.wallMs();
  }

  /** The earliest requested time wins. */
  #passAt(wishMs: number): void {
    if (this.#stopped || (this.#nextPassMs !== null && this.#nextPassMs <= wishMs)) return;
    this.#nextPassMs = wishMs;
    if (this.#passing) return;
    this.#cancelTimer();
    const nowMs = this.#nowMs();
    // Bounded on both sides, so that a jump of the wall clock delays an event by at most one poll interval.
    const delayMs = Math.min(Math.max(wishMs, this.#lastPassMs + PASS_GAP_MS) - nowMs, POLL_MS);
    this.#cancelTimer = this.#options.clock.after(Math.max(delayMs, 0), () => {
      this.#pass().catch((error: unknown) => this.#options.log.warn({ err: error }, 'webhook pass failed'));
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
      this.#options.log.warn({ err: error }, 'webhook outbox read failed');
    }
    this.#passing = false;
    const earliestMs = Math.min(wishMs, this.#nextPassMs ?? wishMs);
    this.#nextPassMs = null;
    this.#passAt(earliestMs);
  }

  /** Starts due deliveries within the limits. Resolves to the time of the next pass. */
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
    const { http, receivers, log, tracing } = this.#options;
    const attemptedMs = this.#nowMs();
    const secrets = receivers.signingSecrets(event.agentId, attemptedMs);
    try {
      await secrets;
    } catch (error) {
      // No fault of the receiver: it is no attempt. Any other error is: a later attempt may have another secret.
      if (error instanceof DatabaseError) {
        log.warn({ err: error, event_id: event.id, call_id: event.callId }, 'webhook secret read failed');
        return this.#pause(STORE_RETRY_MS);
      }
    }
    const span = (await tracing?.delivery(event)) ?? null;
    const result = await attemptDelivery(http, async () =>
      signedRequest(event, await secrets, attemptedMs, span?.context ?? null),
    );
    span?.end({ fromMs: attemptedMs, toMs: this.#nowMs(), httpStatus: result.httpStatus });
    this.#noteSilence(event.agentId, result);
    try {
      await this.#settle(event, result, attemptedMs);
    } catch (error) {
      log.warn({ err: error, event_id: event.id, call_id: event.callId }, 'webhook attempt write failed');
      // The event is still due. A pause keeps it from being sent repeatedly while the database is unavailable.
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
        log.warn(about, 'webhook disabled');
        await receivers.disableWebhook(event.agentId, event.url, nowMs);
        return outbox.markFailed(event.id, made, null);
      case 'failed': {
        const delayMs = retryDelayMs(event.attempts + 1);
        if (delayMs === null) log.warn(about, 'webhook delivery abandoned');
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
