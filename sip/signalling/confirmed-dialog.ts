import type { DigestClient } from '../authentication/digest-client.ts';
import type { DialogRecovery } from '../dialog/dialog-recovery.ts';
import { describeReason } from '../message/reason.ts';
import { catchErrors } from './catch-errors.ts';
import { requestInDialog } from './in-dialog-request.ts';
import { answerInfo, type InfoDtmf } from './info-dtmf.ts';
import { withTargetOf } from './observed-recovery.ts';
import { answerReoffer, type LateOfferListener, type ReofferListener, refuseMethod } from './received-reoffer.ts';
import { DialogRefer } from './refer.ts';
import { sendBye } from './send-bye.ts';
import type { RefreshMethod, ServerLink } from './server-link.ts';
import type { DialogEnd, ReferOutcome, ReferRequest, SipDialog } from './signalling.ts';
import type { SrfDialog, SrfHandler } from './srf-client.ts';

/** Requests before the owner listens: a peer has one offer at a time (RFC 3261 §14.1). Beyond: refused. */
const EARLY_REQUESTS_MAX = 4;
const SERVER_ERROR = 500;

type EndListener = (cause: DialogEnd, detail: string | null) => void;

/** The state of a dialog at its start. */
interface DialogStart {
  readonly localSdp: string;
  /** Answers the challenges of requests in the dialog. */
  readonly digest: DigestClient;
  /** The recovery data that the messages show. */
  readonly observed: DialogRecovery | null;
  /** The trunk of a call that we placed. */
  readonly trunkId: string | null;
}

interface DialogOutcome {
  readonly cause: DialogEnd;
  readonly detail: string | null;
}

/** A dialog of `drachtio-srf`. Ends exactly once, even if the library reports no end. */
export class ConfirmedDialog implements SipDialog {
  readonly sipCallId: string;
  readonly #link: ServerLink;
  readonly #dialog: SrfDialog;
  readonly #digest: DigestClient;
  readonly #trunkId: string | null;
  /** Recovery data on a server that reports none; null once the peer has received a BYE or sent one. */
  #observed: DialogRecovery | null;
  /** Our last description: sent for a re-INVITE without an offer, unless a listener supplies another. */
  #localSdp: string;
  #end: DialogOutcome | null = null;
  #byeAnswered: Promise<void> | null = null;
  /** Offers and DTMF digits that came before the dialog had an owner; null afterwards. */
  #deferred: (() => void)[] | null = [];
  readonly #endListeners: EndListener[] = [];
  #onReoffer: ReofferListener | null = null;
  #lateOffer: LateOfferListener | null = null;
  #onDigit: ((dtmf: InfoDtmf) => void) | null = null;
  readonly #refer: DialogRefer;
  readonly #forgetLink: () => void;

  /**
   * Call this in the library's callback: a BYE may arrive in the same packet.
   * @param observed recovery data for a server that reports none.
   */
  constructor(link: ServerLink, dialog: SrfDialog, { localSdp, digest, observed, trunkId }: DialogStart) {
    this.sipCallId = dialog.sip.callId;
    this.#link = link;
    this.#dialog = dialog;
    this.#digest = digest;
    this.#trunkId = trunkId;
    this.#localSdp = localSdp;
    this.#observed = link.server.onDialog === undefined ? observed : null;
    dialog.on('destroy', (req) => {
      this.#observed = null;
      const cause = req.source === 'application' ? 'timeout' : 'remote_bye';
      this.#finish(cause, describeReason(req.get('Reason') ?? ''));
    });
    const reoffer = answerReoffer(
      dialog,
      (offer) => this.#answerOffer(offer),
      { offer: () => this.#makeOffer(), answered: (answer) => this.#reportAnswer(answer) },
      (sdp) => {
        this.#localSdp = sdp;
      },
    );
    const refresh: SrfHandler = (req, res) => {
      if (this.#observed !== null) this.#observed = withTargetOf(this.#observed, req);
      reoffer(req, res);
    };
    dialog.on('modify', this.#deferUntilOwned(refresh));
    dialog.on('update', this.#deferUntilOwned(refresh));
    dialog.on('info', this.#deferUntilOwned(answerInfo((dtmf) => this.#reportDigit(dtmf))));
    dialog.on('refer', refuseMethod);
    dialog.on('message', refuseMethod);
    dialog.on('publish', refuseMethod);
    this.#refer = new DialogRefer(link, dialog, digest);
    if (digest.hasCredentials) link.refreshers.set(dialog.id, (method) => this.#refresh(method));
    this.#forgetLink = link.onLost(() => this.#finish('lost', 'the SIP server was lost'));
  }

  /** null once the server knows that the BYE was received or sent. */
  recovery(): DialogRecovery | null {
    const recovery = this.#link.recoveries.get(this.#dialog.id) ?? this.#observed;
    return recovery === null || this.#trunkId === null ? recovery : { ...recovery, trunkId: this.#trunkId };
  }

  /** Runs the deferred requests in the next turn of the event loop, when the owner has registered its listeners. */
  handedOver(): void {
    setImmediate(() => {
      const early = this.#deferred ?? [];
      this.#deferred = null;
      for (const answer of early) catchErrors(this.#link.owner.onFault, answer);
    });
  }

  bye(): Promise<void> {
    if (this.#end !== null) return this.#byeAnswered ?? Promise.resolve();
    this.#byeAnswered = sendBye(this.#link, this.#dialog, this.#digest).then(() => {
      if (this.#link.alive) this.#observed = null;
      return this.endIfOrphaned();
    });
    this.#finish('local_bye', null);
    return this.#byeAnswered;
  }

  /** Lets the next server send the BYE, if this one exited before the peer received it. */
  async endIfOrphaned(): Promise<void> {
    const recovery = this.recovery();
    if (!this.#link.alive && recovery !== null) await this.#link.owner.endOrphan(recovery);
  }

  /** Resolves once `recovery` is known. */
  recoveryKnown(): Promise<void> {
    return this.#link.recoveryKnown(this.#dialog.id);
  }

  onEnded(listener: EndListener): void {
    const end = this.#end;
    if (end === null) this.#endListeners.push(listener);
    else queueMicrotask(() => this.#notify(listener, end));
  }

  onOffer(listener: ReofferListener): void {
    this.#onReoffer = listener;
  }

  refer(request: ReferRequest, onOutcome: (outcome: ReferOutcome) => void): void {
    const report = (outcome: ReferOutcome) => catchErrors(this.#link.owner.onFault, () => onOutcome(outcome));
    if (this.#end === null) this.#refer.send(request, report);
    else report({ type: 'failed', status: null, reason: 'the call ended' });
  }

  onDtmf(listener: (dtmf: InfoDtmf) => void): void {
    this.#onDigit = listener;
  }

  onLateOffer(owner: LateOfferListener): void {
    this.#lateOffer = owner;
  }

  /** Defers requests in the dialog until its owner listens. */
  #deferUntilOwned(handler: SrfHandler): SrfHandler {
    return (req, res) => {
      if (this.#deferred === null) handler(req, res);
      else if (this.#deferred.length < EARLY_REQUESTS_MAX) this.#deferred.push(() => handler(req, res));
      else res.send(SERVER_ERROR, undefined, {});
    };
  }

  /** Repeats a challenged session refresh. The server itself retries a failed one until the session ends. */
  #refresh(method: RefreshMethod): void {
    const described = method === 'INVITE' && { body: this.#localSdp, headers: { 'Content-Type': 'application/sdp' } };
    void requestInDialog(this.#link, this.#dialog, this.#digest, { method, ...described });
  }

  #reportDigit(dtmf: InfoDtmf): void {
    const listener = this.#onDigit;
    if (listener !== null) catchErrors(this.#link.owner.onFault, () => listener(dtmf));
  }

  #makeOffer(): string {
    const owner = this.#lateOffer;
    const offer = owner === null ? undefined : catchErrors(this.#link.owner.onFault, () => owner.offer());
    this.#localSdp = offer ?? this.#localSdp;
    return this.#localSdp;
  }

  #reportAnswer(answer: string): void {
    const owner = this.#lateOffer;
    if (owner !== null) catchErrors(this.#link.owner.onFault, () => owner.answered(answer));
  }

  #finish(cause: DialogEnd, detail: string | null): void {
    if (this.#end !== null) return;
    this.#end = { cause, detail };
    this.#link.refreshers.delete(this.#dialog.id);
    this.#refer.end(cause);
    this.#forgetLink?.();
    for (const listener of this.#endListeners.splice(0)) this.#notify(listener, { cause, detail });
  }

  #notify(listener: EndListener, { cause, detail }: DialogOutcome): void {
    catchErrors(this.#link.owner.onFault, () => listener(cause, detail));
  }

  /** null without a listener. An error of the listener refuses the offer. */
  #answerOffer(offer: string): ReturnType<ReofferListener> | null {
    const listener = this.#onReoffer;
    return listener && (catchErrors(this.#link.owner.onFault, () => listener(offer)) ?? { refuse: 500 });
  }
}
