import type { Credentials } from '../authentication/digest-response.ts';
import type { DialogRecovery } from '../dialog/dialog-recovery.ts';
import type { SipAddress, SipTransport } from '../transport/hop.ts';
import type { InfoDtmf } from './info-dtmf.ts';

/**
 * The signalling of all calls of this process: the one thing of SIP that the rest of the service sees. SDP bodies are
 * made and read by `sip/sdp/`; here they are text.
 */
export interface Signalling {
  /** Every new INVITE, one at a time a transaction; without a handler they are answered 480. */
  onInvite(handler: (invite: InboundInvite) => void): void;
  /** Starts an outbound call. Throws a `SignallingError` where a header or an address cannot be sent. */
  invite(order: InviteRequest): OutboundAttempt;
  /** One REGISTER; repeating it in time is its owner's. Never rejects. */
  register(order: RegisterRequest): Promise<RegisterOutcome>;
  /**
   * The connection of that name, on which a registration may have been made, is gone; null: every one. Never called where the
   * server does not tell.
   */
  onConnectionLost(listener: (connection: string | null) => void): void;
  /** One OPTIONS to a trunk, answered or given up after five seconds. Never rejects. */
  ping(trunk: TrunkAddress): Promise<PingOutcome>;
  /** Sends the BYE that a dead process or worker could not send. Resolves when it was answered or gave up. */
  endOrphan(recovery: DialogRecovery): Promise<void>;
  /** Where peers reach us, for SDP and logs. */
  readonly addresses: readonly SipAddress[];
  /** Lets dialogs be (they are ended by their owners first), closes listeners. */
  close(): Promise<void>;
}

export interface InboundInvite {
  readonly sipCallId: string;
  /** Request-URI as it came. */
  readonly uri: string;
  /** User part of the Request-URI, percent-decoded, a number without its parameters; what was dialled. */
  readonly dialled: string;
  /** The same of To: whom the caller meant before anybody sent the call elsewhere. */
  readonly addressee: string;
  /** The same of From. */
  readonly caller: string;
  /** Value of `X-Service-Call-Id`, null without one. */
  readonly serviceCallId: string | null;
  readonly source: { readonly address: string; readonly port: number; readonly transport: string };
  header(name: string): string | null;
  /** The SDP offer; null for a late offer: then `accept` is given ours, and the ACK brings the answer (RFC 3264 §4). */
  readonly offer: string | null;
  /** To a late offer, once `accept` has resolved: the answer of the ACK; null where it brought none. */
  readonly answer: string | null;
  /**
   * What another process needs to end the dialog that our 200 will make, known before it goes; null on a server that does
   * not take it.
   */
  readonly recovery: DialogRecovery | null;
  /** 180. Does nothing after a final response or a CANCEL. */
  ring(): void;
  /**
   * Refuses. Does nothing where a final response has gone or the peer cancelled. Throws a `SignallingError` for a reason
   * or header that cannot be sent.
   */
  refuse(status: number, reason?: string, headers?: Readonly<Record<string, string>>): void;
  /**
   * 200 with the SDP. Resolves with the dialog once the peer's ACK is in, null where the peer cancelled first; rejects
   * with a `SignallingError` where the transaction died. `onSent` is told, once, as soon as the 200 has gone, what another
   * process would end the dialog by: the ACK may be long in coming. It is never told by a server that does not tell that.
   */
  accept(sdp: string, onSent?: (dialog: Pick<SipDialog, 'sipCallId' | 'recovery'>) => void): Promise<SipDialog | null>;
  /** From the CANCEL on, or from the death of the transaction, before an answer. */
  readonly cancelled: boolean;
  /** Called at most once: CANCEL, or the transaction died before an answer. */
  onCancelled(listener: () => void): void;
}

/** `host[:port]` of a trunk; an IPv6 address with or without brackets. */
export interface TrunkAddress {
  readonly host: string;
  readonly port: number | null;
  readonly transport: SipTransport;
}

export interface InviteRequest {
  readonly trunk: TrunkAddress;
  readonly to: string;
  readonly from: string;
  /** Already through the filter of custom headers; checked again for line breaks. */
  readonly headers: Readonly<Record<string, string>>;
  readonly offer: string;
  readonly ringTimeoutMs: number;
  /** What a challenge of the trunk's is answered with; left out: it is a refusal. */
  readonly credentials?: Credentials | null;
}

export interface OutboundAttempt {
  readonly sipCallId: string;
  /** First 18x. At most once. */
  onRinging(listener: () => void): void;
  /** The 2xx and its SDP, or why there is none. Never rejects. */
  readonly outcome: Promise<OutboundOutcome>;
  /** CANCEL, or BYE where the 2xx won the race. Idempotent. */
  cancel(): void;
}

export type OutboundOutcome =
  | { readonly type: 'answered'; readonly dialog: SipDialog; readonly answer: string }
  /** `status` null: nothing came back, or nothing could be sent. */
  | { readonly type: 'refused'; readonly status: number | null; readonly reason: string }
  | { readonly type: 'timeout' }
  | { readonly type: 'cancelled' };

export type DialogEnd = 'remote_bye' | 'local_bye' | 'lost' | 'timeout';

/** A confirmed dialog. */
export interface SipDialog {
  readonly sipCallId: string;
  /**
   * What another process needs to end it; changes with the CSeqs and the remote target. null on a server that does not
   * tell it, and once the dialog is over for the server.
   */
  recovery(): DialogRecovery | null;
  /** BYE. Resolves when answered or given up; idempotent. Where the server dies first, the next one sends it. */
  bye(): Promise<void>;
  /** At most once, however it ends. `lost`: the server or its connection died and took the dialog. */
  onEnded(listener: (cause: DialogEnd) => void): void;
  /** A re-INVITE or UPDATE with an offer: answers the SDP to send, or a status to refuse with; 488 without a listener. */
  onOffer(listener: (offer: string) => { readonly sdp: string } | { readonly refuse: number }): void;
  /**
   * A re-INVITE without an offer: `offer` makes ours, `answered` is told what its ACK brought, where it brought anything.
   * Our last description is offered where nobody listens.
   */
  onLateOffer(owner: { offer(): string; answered(answer: string): void }): void;
  /** A key that came as a SIP INFO. */
  onDtmf(listener: (key: InfoDtmf) => void): void;
  /**
   * REFER: asks the peer to call somebody else, and follows what it tells of it (RFC 3515). `onOutcome` is called once, by
   * the deadline at the latest, before `onEnded` where the dialog ends with it; else the dialog stands as it did. Throws a
   * `SignallingError` for an address or a header that cannot be sent.
   */
  refer(order: ReferRequest, onOutcome: (outcome: ReferOutcome) => void): void;
}

export interface ReferRequest {
  /** `tel:`, `sip:` or `sips:` URI, sent as it is. */
  readonly to: string;
  /** Custom headers; From and To of an INVITE are left out. */
  readonly headers: Readonly<Record<string, string>>;
  /** From the REFER to its outcome. */
  readonly deadlineMs: number;
}

export type ReferOutcome =
  /** The destination has answered the peer. */
  | { readonly type: 'succeeded' }
  /** The peer takes no REFER, or not this one: it has called nobody. */
  | { readonly type: 'refused'; readonly status: number }
  /** The destination did not answer, or it is not known. `status`: its, or the REFER's where the peer did not hear it. */
  | { readonly type: 'failed'; readonly status: number | null; readonly reason: string };

/** What an OPTIONS outside any dialog came to (RFC 3261 §11). */
export type PingOutcome =
  /** `roundTripMs`: from the request to its final answer, whatever that is: also who refuses OPTIONS is there. */
  | { readonly type: 'answered'; readonly status: number; readonly roundTripMs: number }
  /** Nothing came back, or nothing could be sent. */
  | { readonly type: 'unanswered'; readonly reason: string };

/** One REGISTER (RFC 3261 §10.2). */
export interface RegisterRequest {
  readonly trunk: TrunkAddress;
  readonly credentials: Credentials;
  /** Of all the REGISTERs to this trunk since the process began; the number rises with each of them. */
  readonly sipCallId: string;
  readonly cseq: number;
  /** Asked for; 0 takes the registration back. */
  readonly expiresSeconds: number;
}

export type RegisterOutcome =
  /**
   * `expiresSeconds`: granted. `cseq`: of the last request, challenges had some before it. `connection`: that it was made on,
   * as `Signalling.onConnectionLost` will name it; null over UDP, and where the server does not tell of connections.
   */
  | {
      readonly type: 'registered';
      readonly expiresSeconds: number;
      readonly cseq: number;
      readonly connection: string | null;
    }
  | { readonly type: 'too_brief'; readonly minimumSeconds: number; readonly cseq: number }
  /** `status` null: nothing came back, or nothing could be sent. */
  | {
      readonly type: 'refused';
      readonly status: number | null;
      readonly reason: string;
      readonly retryAfterSeconds: number | null;
      readonly cseq: number;
    };
