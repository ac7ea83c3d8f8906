/** The signalling of one call. Every method returns at once; outcomes come as events. */
export interface CallControl {
  /** Answers the call (200). Without effect once the call is answered or over. */
  answer(): void;
  /** Ends the call in any state: CANCEL, a refusal, or BYE. Idempotent. */
  hangUp(): void;
  /**
   * Transfers the user. One `transfer_succeeded` or `transfer_failed` follows within `ringTimeoutMs` plus ten seconds for
   * signalling. Later outcomes are ignored, so the destination must not ring after that time.
   */
  transfer(request: TransferRequest): void;
  onEvent(listener: (event: CallControlEvent) => void): void;
}

export interface TransferRequest {
  /** `+` and digits, or a `sip:` or `sips:` URI, as `normalisedDestination` returns it. The destination policy is applied later. */
  readonly destination: string;
  /** `refer`: the peer calls the destination; `bridge`: we call it and relay the media. */
  readonly mode: 'refer' | 'bridge';
  readonly headers: Readonly<Record<string, string>>;
  readonly ringTimeoutMs: number;
}

export type CallControlEvent =
  | { readonly type: 'ringing' }
  /** The 2xx was sent to a source that may be forged. The call is answered; no audio flows before `answered`. */
  | { readonly type: 'accepted' }
  /** The 2xx was sent (inbound) or received (outbound): audio flows, unless `on_hold` follows immediately. */
  | { readonly type: 'answered' }
  | { readonly type: 'on_hold' }
  | { readonly type: 'off_hold' }
  /** `bridged`: the user talks to the destination over this leg; `ended` follows when the first of them hangs up. */
  | { readonly type: 'transfer_succeeded'; readonly bridged?: true }
  /**
   * `reason`: text for the model («the transfer failed: …»). `refused`: the peer rejected the REFER and called no
   * destination; the rules then request a bridge, once.
   */
  | { readonly type: 'transfer_failed'; readonly reason: string; readonly refused?: boolean }
  /** The leg has ended. `sipStatus`: the final response that ended it. `detail`: the cause for people. No event follows. */
  | { readonly type: 'ended'; readonly cause: LegEndCause; readonly sipStatus?: number; readonly detail?: string };

export type LegEndCause =
  | 'remote_bye'
  | 'local_bye'
  | 'remote_cancel'
  | 'busy'
  | 'no_answer'
  | 'rejected'
  /** The callee has another address (3xx), which was not tried. */
  | 'redirected'
  | 'canceled'
  | 'sip_error';
