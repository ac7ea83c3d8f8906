import type { DeliveryAttempt, DueDelivery } from '../../storage/events/outbox-repository.ts';

/** The outbox as the deliverer uses it. Methods reject on database errors. */
export interface OutboxStore {
  /**
   * Events due at `nowMs`, oldest first: the head of the queue of each call, and events that left their queue. At most
   * `DUE_PER_AGENT_MAX` of an agent. Nothing is locked. Events of `exceptAgentIds` should be omitted, so that they do not use
   * up `limit`.
   */
  dueDeliveries(nowMs: number, limit: number, exceptAgentIds: readonly string[]): Promise<readonly DueDelivery[]>;
  /** Time of the next due attempt after `nowMs`. null: none. A result that is not after `nowMs` is to be ignored. */
  nextAttemptMs(nowMs: number): Promise<number | null>;
  markDelivered(eventId: string, attempt: DeliveryAttempt): Promise<void>;
  /** `nextAttemptMs` null: the last attempt, the event becomes `failed`. */
  markFailed(eventId: string, attempt: DeliveryAttempt, nextAttemptMs: number | null): Promise<void>;
}

/** Receivers of agents as the deliverer uses them. */
export interface ReceiverStore {
  /**
   * The decrypted signing secrets of the agent, newest first, as `whsec_<base64>`. Two during a rotation. Empty: the request is not
   * signed. Rejects with a `DatabaseError`, or if a secret cannot be decrypted.
   */
  signingSecrets(agentId: string, nowMs: number): Promise<readonly string[]>;
  /** Switches the webhook off after a 410, unless the URL has changed since. */
  disableWebhook(agentId: string, url: string, nowMs: number): Promise<void>;
}
