import type { OutboxStore, ReceiverStore } from '../../../../src/background/webhooks/outbox-store.ts';
import { DUE_PER_AGENT_MAX } from '../../../../src/storage/events/due-events.ts';
import type { DeliveryAttempt, DueDelivery } from '../../../../src/storage/events/outbox-repository.ts';
import { HEAD_ATTEMPTS_MAX } from '../../../../src/storage/events/webhook-event.ts';

export interface FakeEvent extends DueDelivery {
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  nextMs: number;
  readonly log: DeliveryAttempt[];
}

/** An outbox in memory that behaves like the one in the database. */
export class FakeOutbox implements OutboxStore, ReceiverStore {
  readonly events: FakeEvent[] = [];
  readonly disabledAgents = new Set<string>();
  secrets: readonly string[] = [];
  queries = 0;
  /** If set, due events are read at once but returned only when it resolves. */
  gate: Promise<void> | null = null;
  /** If set, every method except `signingSecrets` rejects with this error. */
  broken: Error | null = null;
  /** If set, `signingSecrets` rejects with this error. */
  brokenSecrets: Error | null = null;

  add(fields: { callId: string; sequence: number; agentId?: string; url?: string; nowMs: number }): FakeEvent {
    const event: FakeEvent = {
      id: `${fields.callId}-${fields.sequence}`,
      organizationId: 'organization',
      agentId: fields.agentId ?? 'agent',
      callId: fields.callId,
      sequence: fields.sequence,
      type: 'event_state_changed',
      data: { from: null, to: 'greeting' },
      createdMs: fields.nowMs,
      url: fields.url ?? 'http://receiver.example/',
      attempts: 0,
      status: 'pending',
      nextMs: fields.nowMs,
      log: [],
    };
    this.events.push(event);
    return event;
  }

  async dueDeliveries(nowMs: number, limit: number, exceptAgentIds: readonly string[]): Promise<FakeEvent[]> {
    this.queries += 1;
    this.#check();
    const pending = this.events.filter(({ status }) => status === 'pending');
    const waitsForAnother = (event: FakeEvent): boolean =>
      pending.some(
        (ahead) =>
          ahead.callId === event.callId && ahead.sequence < event.sequence && ahead.attempts < HEAD_ATTEMPTS_MAX,
      );
    const due = pending
      .filter((event) => event.nextMs <= nowMs && !this.disabledAgents.has(event.agentId))
      .filter((event) => !exceptAgentIds.includes(event.agentId))
      .filter((event) => event.attempts >= HEAD_ATTEMPTS_MAX || !waitsForAnother(event))
      .sort((a, b) => a.nextMs - b.nextMs || a.sequence - b.sequence)
      .filter(atMostPerAgent(DUE_PER_AGENT_MAX))
      .slice(0, limit)
      .map((event) => ({ ...event }));
    if (this.gate !== null) await this.gate;
    return due;
  }

  async nextAttemptMs(nowMs: number): Promise<number | null> {
    this.#check();
    const later = this.events.filter(({ status, nextMs }) => status === 'pending' && nextMs > nowMs);
    return later.length === 0 ? null : Math.min(...later.map(({ nextMs }) => nextMs));
  }

  async markDelivered(eventId: string, attempt: DeliveryAttempt): Promise<void> {
    const event = this.#logged(eventId, attempt);
    event.status = 'delivered';
  }

  async markFailed(eventId: string, attempt: DeliveryAttempt, nextAttemptMs: number | null): Promise<void> {
    const event = this.#logged(eventId, attempt);
    if (nextAttemptMs === null) event.status = 'failed';
    else event.nextMs = nextAttemptMs;
  }

  async signingSecrets(): Promise<readonly string[]> {
    if (this.brokenSecrets !== null) throw this.brokenSecrets;
    return this.secrets;
  }

  async disableWebhook(agentId: string): Promise<void> {
    this.#check();
    this.disabledAgents.add(agentId);
  }

  #logged(eventId: string, attempt: DeliveryAttempt): FakeEvent {
    this.#check();
    const event = this.events.find(({ id }) => id === eventId);
    if (event === undefined) throw new Error(`no event ${eventId}`);
    event.attempts += 1;
    event.log.push(attempt);
    return event;
  }

  #check(): void {
    if (this.broken !== null) throw this.broken;
  }
}

function atMostPerAgent(max: number): (event: FakeEvent) => boolean {
  const counts = new Map<string, number>();
  return ({ agentId }) => {
    const count = (counts.get(agentId) ?? 0) + 1;
    counts.set(agentId, count);
    return count <= max;
  };
}
