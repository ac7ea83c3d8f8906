import type { DeliveryAttempt, DueDelivery } from '../../storage/events/outbox-repository.ts';

/** What the deliverer needs of the outbox. Methods reject when the database does. */
export interface OutboxStore {
  /**
   * Events whose next attempt is due at `nowMs`, oldest first: of each call the head of its queue, and beside it those
   * that have left the head. Nothing is marked as taken. Events of `exceptAgentIds` may be left out, and should be, so
   * that they take no place of others within `limit`.
   */
  dueDeliveries(nowMs: number, limit: number, exceptAgentIds: readonly string[]): Promise<readonly DueDelivery[]>;
  /** When the next attempt after `nowMs` is due; null where none is. An answer that is not after `nowMs` tells nothing. */
  nextAttemptMs(nowMs: number): Promise<number | null>;
  markDelivered(eventId: string, attempt: DeliveryAttempt): Promise<void>;
  /** `nextAttemptMs` null: given up, kept as `failed`. */
  markFailed(eventId: string, attempt: DeliveryAttempt, nextAttemptMs: number | null): Promise<void>;
}

/** What the deliverer needs to know of, and tell about, an agent's receiver. */
export interface ReceiverStore {
  /**
   * The secrets that sign for the agent at this time, decrypted, newest first, in the form `whsec_<base64>`. During a
   * rotation there are two. None: the request goes out unsigned.
   */
  signingSecrets(agentId: string, nowMs: number): Promise<readonly string[]>;
  /** The receiver at this URL is gone (410): no more events until the agent's is set again, which it may be by now. */
  disableWebhook(agentId: string, url: string, nowMs: number): Promise<void>;
}
