/** The signalling of one call. Every method returns at once; outcomes come as events. */
export interface CallControl {
  /** Answers the caller (200). Nothing happens where the call is already answered or gone. */
  answer(): void;
  /** Ends the call whatever its state: CANCEL, a refusal, or BYE. Idempotent. */
  hangUp(): void;
  /** Moves the caller elsewhere; answered by one `transfer_succeeded` or `transfer_failed`. */
  transfer(order: TransferOrder): void;
  onEvent(listener: (event: CallControlEvent) => void): void;
}

export interface TransferOrder {
  /** E.164, `sip:` or `tel:` URI; it has passed the destination policy. */
  readonly destination: string;
  readonly mode: 'refer' | 'bridge';
  readonly headers: Readonly<Record<string, string>>;
  readonly ringTimeoutMs: number;
}

export type CallControlEvent =
  | { readonly type: 'ringing' }
  /** The 2xx was sent (inbound) or received (outbound): audio flows. */
  | { readonly type: 'answered' }
  | { readonly type: 'held' }
  | { readonly type: 'resumed' }
  | { readonly type: 'transfer_succeeded' }
  | { readonly type: 'transfer_failed'; readonly reason: string }
  /** The leg is gone. `sipStatus` where a final response ended it. No event follows. */
  | { readonly type: 'ended'; readonly cause: LegEndCause; readonly sipStatus?: number };

export type LegEndCause =
  | 'remote_bye'
  | 'local_bye'
  | 'remote_cancel'
  | 'busy'
  | 'no_answer'
  | 'rejected'
  | 'canceled'
  | 'sip_error';
