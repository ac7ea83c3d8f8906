/** The signalling of one call. Every method returns at once; outcomes come as events. */
export interface CallControl {
  /** Answers the call (200). Without effect once the call is answered or over. */
  answer(): void;
  /** Ends the call whatever its state: CANCEL, a refusal, or BYE. Idempotent. */
  hangUp(): void;
  /**
   * Moves the caller elsewhere; answered by one `transfer_succeeded` or `transfer_failed`, within `ringTimeoutMs` and ten
   * seconds for signalling. Later outcomes are not listened to: nobody may be left ringing then.
   */
  transfer(request: TransferRequest): void;
  onEvent(listener: (event: CallControlEvent) => void): void;
}

export interface TransferRequest {
  /** `+` and digits, or a `sip:` or `sips:` URI, as `normalisedDestination` writes them. The destination policy comes after. */
  readonly destination: string;
  /** `refer`: the peer is asked to dial; `bridge`: we do, and stay between the two. */
  readonly mode: 'refer' | 'bridge';
  readonly headers: Readonly<Record<string, string>>;
  readonly ringTimeoutMs: number;
}

export type CallControlEvent =
  | { readonly type: 'ringing' }
  /** The 2xx was sent (inbound) or received (outbound): audio flows, unless `held` follows at once. */
  | { readonly type: 'answered' }
  | { readonly type: 'on_hold' }
  | { readonly type: 'off_hold' }
  /** `bridged`: the caller still hangs on this leg and talks to the destination over it; `ended` follows with the first to hang up. */
  | { readonly type: 'transfer_succeeded'; readonly bridged?: true }
  /**
   * `reason` in words for the model: «the transfer failed: …». `refused`: the peer takes no REFER, nobody was dialled;
   * a bridge may still succeed, and is ordered once.
   */
  | { readonly type: 'transfer_failed'; readonly reason: string; readonly refused?: boolean }
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
