import type { Credentials } from '../authentication/digest-response.ts';
import type { DialogRecovery } from '../dialog/dialog-recovery.ts';
import type { SipAddress, SipTransport } from '../transport/transport-address.ts';
import type { InfoDtmf } from './info-dtmf.ts';

/**
 * The signalling of all calls of this process: the service's only interface to SIP. SDP is text here; `sip/sdp/` makes
 * and parses it.
 */
export interface Signalling {
  /** Called for every new INVITE, once per transaction. Without a handler, INVITEs get 503 with `Retry-After`. */
  onInvite(handler: (invite: InboundInvite) => void): void;
  /**
   * Sets the answer to OPTIONS outside a dialog, the one that an INVITE would get (RFC 3261 §11.2). `retryAfterSeconds`
   * returns the `Retry-After` of a 503, or null for a 200. Until it is set, each OPTIONS gets 503, as each INVITE does.
   */
  onOptions(retryAfterSeconds: () => number | null): void;
  /** Starts an outbound call. Throws a `SignallingError` if a header or an address cannot be sent. */
  invite(request: InviteRequest): OutboundAttempt;
  /** Sends one REGISTER. The caller repeats it in time. Never rejects. */
  register(request: RegisterRequest): Promise<RegisterOutcome>;
  /**
   * The named connection, which may carry a registration, was lost; null: all connections. Never called for a server
   * that does not report it.
   */
  onConnectionLost(listener: (connection: string | null) => void): void;
  /** Sends one OPTIONS to a trunk and waits at most five seconds. Never rejects. */
  ping(trunk: TrunkAddress): Promise<PingOutcome>;
  /** Sends the BYE that an earlier process or worker could not send. Resolves when it has been answered or abandoned. */
  endOrphan(recovery: DialogRecovery): Promise<void>;
  /** Our addresses, for SDP and logs. Empty while no SIP server is connected. */
  readonly addresses: readonly SipAddress[];
  /** Disconnects. Does not end dialogs: their owners do so before. */
  close(): Promise<void>;
}

export interface InboundInvite {
  readonly sipCallId: string;
  /** The Request-URI as received. */
  readonly uri: string;
  /** The dialled number: the user part of the Request-URI, percent-decoded, without a number's parameters. */
  readonly dialled: string;
  /** The number in To, in the same form: the original callee before a redirection. */
  readonly addressee: string;
  /** The number in From, in the same form. */
  readonly caller: string;
  /** Value of `X-Service-Call-Id`, null without one. */
  readonly serviceCallId: string | null;
  readonly source: { readonly address: string; readonly port: number; readonly transport: string };
  header(name: string): string | null;
  /** The SDP offer. null for a late offer: `accept` sends our offer, and the ACK carries the answer (RFC 3264 §4). */
  readonly offer: string | null;
  /** For a late offer, after `accept`: the SDP answer of the ACK; null without one. */
  readonly answer: string | null;
  /**
   * The recovery data of the dialog that our 200 will make, known before it is sent; null over a transport that is not
   * ours.
   */
  readonly recovery: DialogRecovery | null;
  /** Sends 180. Does nothing after a final response or a CANCEL. */
  ring(): void;
  /**
   * Refuses. Does nothing after a final response or a CANCEL. Throws a `SignallingError` for a reason or header that
   * cannot be sent.
   */
  refuse(status: number, reason?: string, headers?: ResponseHeaders): void;
  /**
   * Sends 200 with the SDP. Resolves with the dialog once the ACK has arrived, null if the peer cancelled first;
   * rejects with a `SignallingError` if the transaction was lost. `onSent` is called once, as soon as the 200 was
   * sent, with the recovery data, since the ACK may take long. Not called without recovery data.
   */
  accept(sdp: string, onSent?: (dialog: Pick<SipDialog, 'sipCallId' | 'recovery'>) => void): Promise<SipDialog | null>;
  /** True after a CANCEL, or the loss of the transaction, before an answer. */
  readonly cancelled: boolean;
  /** Called at most once: CANCEL, or the transaction was lost before an answer. */
  onCancelled(listener: () => void): void;
}

/** Values by name. Each of several gets its own line, as challenges must (RFC 3261 §7.3.1). */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[]>>;

/** `host[:port]` of a trunk; an IPv6 address with or without brackets. */
export interface TrunkAddress {
  readonly host: string;
  readonly port: number | null;
  readonly transport: SipTransport;
}

export interface InviteRequest {
  readonly trunk: TrunkAddress;
  readonly to: string;
  /** The calling number. */
  readonly from: string;
  /** User part and host of From where the trunk sets them; the calling number is then in P-Preferred-Identity. */
  readonly fromUser?: string | null;
  readonly fromDomain?: string | null;
  /** Custom headers, checked by `checkCustomHeaders`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly offer: string;
  readonly ringTimeoutMs: number;
  /** The credentials for a challenge of the trunk. Absent: a challenge ends the call. */
  readonly credentials?: Credentials | null;
  /** Stands in the recovery data of the dialog; null for a host that is not a trunk. */
  readonly trunkId?: string | null;
}

export interface OutboundAttempt {
  readonly sipCallId: string;
  /** First 18x. At most once. */
  onRinging(listener: () => void): void;
  /** The result of the call. Never rejects. */
  readonly outcome: Promise<OutboundOutcome>;
  /** Sends CANCEL, or BYE if the 2xx came first. Idempotent. */
  cancel(): void;
}

export type OutboundOutcome =
  | { readonly type: 'answered'; readonly dialog: SipDialog; readonly answer: string }
  /**
   * `status` null: no response came, or the request could not be sent. `reason`: the reason phrase and what the Reason header adds
   * (RFC 3326), or the fault.
   */
  | { readonly type: 'refused'; readonly status: number | null; readonly reason: string }
  /** A redirect. `contacts`: its Contact URIs, the preferred one first, at least one. They are not checked. */
  | {
      readonly type: 'redirected';
      readonly status: number;
      readonly contacts: readonly string[];
      /** Why none is followed, for people; absent before they are judged. */
      readonly detail?: string;
    }
  /** No answer within the ring timeout. */
  | { readonly type: 'timeout' }
  | { readonly type: 'cancelled' };

export type DialogEnd = 'remote_bye' | 'local_bye' | 'lost' | 'timeout';

/** A confirmed dialog. */
export interface SipDialog {
  readonly sipCallId: string;
  /**
   * The data with which another process can end the dialog; changes with the remote target, and with the CSeqs on the
   * embedded server. null once the dialog has ended for the server.
   */
  recovery(): DialogRecovery | null;
  /** Sends BYE. Resolves when answered or abandoned. Idempotent. If the server exits first, the next one sends it. */
  bye(): Promise<void>;
  /**
   * Called once, at the end of the dialog. `lost`: the server or its connection was lost. `detail`: what the Reason header of a BYE
   * says (RFC 3326), or the timer that expired; null for a normal end.
   */
  onEnded(listener: (cause: DialogEnd, detail: string | null) => void): void;
  /** Called for a re-INVITE or UPDATE with an offer. Returns our answer, or a status to refuse with. Without a listener: 488. */
  onOffer(listener: (offer: string) => { readonly sdp: string } | { readonly refuse: number }): void;
  /**
   * Called for a re-INVITE without an offer: `offer` returns our offer, `answered` receives the SDP of the ACK, if any.
   * Without a listener, our last description is offered.
   */
  onLateOffer(owner: { offer(): string; answered(answer: string): void }): void;
  /** A DTMF digit by SIP INFO. */
  onDtmf(listener: (dtmf: InfoDtmf) => void): void;
  /**
   * Sends REFER: asks the peer to call another party, and follows its reports (RFC 3515). `onOutcome` is called once,
   * by the deadline at the latest, before `onEnded` if the dialog ends with it; otherwise the dialog stays. Throws a
   * `SignallingError` for an address or a header that cannot be sent.
   */
  refer(request: ReferRequest, onOutcome: (outcome: ReferOutcome) => void): void;
}

export interface ReferRequest {
  /** `tel:`, `sip:` or `sips:` URI, sent unchanged. */
  readonly to: string;
  /** Custom headers. From and To are not sent. */
  readonly headers: Readonly<Record<string, string>>;
  /** From the REFER to its outcome. */
  readonly deadlineMs: number;
}

export type ReferOutcome =
  /** The destination has answered the peer. */
  | { readonly type: 'succeeded' }
  /** The peer refused the REFER: it calls no other party. */
  | { readonly type: 'refused'; readonly status: number }
  /**
   * The destination did not answer, or its answer is unknown. `status`: the destination's, or the REFER's if the
   * peer did not receive it.
   */
  | { readonly type: 'failed'; readonly status: number | null; readonly reason: string };

/** The result of an OPTIONS outside any dialog (RFC 3261 §11). */
export type PingOutcome =
  /**
   * `roundTripMs`: from the request to its final response. Any status counts, since a refusal is a response too.
   */
  | { readonly type: 'answered'; readonly status: number; readonly roundTripMs: number }
  /** No response came, or the request could not be sent. */
  | { readonly type: 'unanswered'; readonly reason: string };

/** One REGISTER (RFC 3261 §10.2). */
export interface RegisterRequest {
  readonly trunk: TrunkAddress;
  readonly credentials: Credentials;
  /** Constant for all REGISTERs to the trunk. */
  readonly sipCallId: string;
  /** Rises with each REGISTER to the trunk. */
  readonly cseq: number;
  /** The requested expiry; 0 removes the registration. */
  readonly expiresSeconds: number;
  /** URI of the contact to remove that another process left. Absent: our own. */
  readonly contact?: string;
}

export type RegisterOutcome =
  /**
   * `expiresSeconds`: granted. `cseq`: of the last request, after challenges. `connection`: the registration's
   * connection, as `Signalling.onConnectionLost` names it; null over UDP, and if the server does not report
   * connections. `contact`: URI of the contact that was registered or removed; null if it is not known.
   */
  | {
      readonly type: 'registered';
      readonly contact: string | null;
      readonly expiresSeconds: number;
      readonly cseq: number;
      readonly connection: string | null;
    }
  | { readonly type: 'too_brief'; readonly minimumSeconds: number; readonly cseq: number }
  /** `status` null: no response came, or the request could not be sent. */
  | {
      readonly type: 'refused';
      readonly status: number | null;
      readonly reason: string;
      readonly retryAfterSeconds: number | null;
      readonly cseq: number;
    };
