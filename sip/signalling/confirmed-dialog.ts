import { sendBye } from './bye.ts';
import type { DigestClient } from './digest/digest-client.ts';
import { isolated } from './isolated.ts';
import { DialogRefer } from './refer.ts';
import { answerReoffer, type LateOffer, type Reoffer, refuseMethod } from './reoffer.ts';
import type { ServerLink } from './server-link.ts';
import type { DialogRecovery, ReferOrder, ReferOutcome, SipDialog } from './signalling.ts';
import type { SrfDialog, SrfHandler } from './srf-client.ts';

/** A peer has one offer under way at a time (RFC 3261 §14.1); more than these are refused. */
const EARLY_OFFERS_MAX = 4;
const SERVER_ERROR = 500;

export type DialogEnd = 'remote_bye' | 'local_bye' | 'lost' | 'timeout';

/** A dialog of `drachtio-srf`, which ends once, also where the library would never say so. */
export class ConfirmedDialog implements SipDialog {
  readonly sipCallId: string;
  readonly #link: ServerLink;
  readonly #dialog: SrfDialog;
  readonly #digest: DigestClient;
  /** Our last description: what a re-INVITE without an offer is answered with where nobody else has one. */
  #localSdp: string;
  #end: DialogEnd | null = null;
  #byeAnswered: Promise<void> | null = null;
  /** Offers that came before the dialog had an owner; null once it has. */
  #early: (() => void)[] | null = [];
  readonly #endListeners: ((cause: DialogEnd) => void)[] = [];
  #onReoffer: Reoffer | null = null;
  #lateOffer: LateOffer | null = null;
  readonly #refer: DialogRefer;
  readonly #forgetLink: () => void;

  /**
   * To be made in the library's own callback: a BYE may stand in the same packet as what made the dialog.
   * @param digest answers the challenges of requests in the dialog.
   */
  constructor(link: ServerLink, dialog: SrfDialog, localSdp: string, digest: DigestClient) {
    this.sipCallId = dialog.sip.callId;
    this.#link = link;
    this.#dialog = dialog;
    this.#digest = digest;
    this.#localSdp = localSdp;
    dialog.on('destroy', (req) => this.#finish(req.source === 'application' ? 'timeout' : 'remote_bye'));
    const reoffer = answerReoffer(
      dialog,
      (offer) => this.#ask(offer),
      { offer: () => this.#offer(), answered: (answer) => this.#answered(answer) },
      (sdp) => {
        this.#localSdp = sdp;
      },
    );
    const inTurn: SrfHandler = (req, res) => {
      if (this.#early === null) reoffer(req, res);
      else if (this.#early.length < EARLY_OFFERS_MAX) this.#early.push(() => reoffer(req, res));
      else res.send(SERVER_ERROR, undefined, {});
    };
    dialog.on('modify', inTurn);
    dialog.on('update', inTurn);
    dialog.on('refer', refuseMethod);
    dialog.on('message', refuseMethod);
    this.#refer = new DialogRefer(link, dialog, digest);
    this.#forgetLink = link.onLost(() => this.#finish('lost'));
  }

  /** null on a server that does not tell it, and once the server knows that the peer has the BYE or sent one. */
  recovery(): DialogRecovery | null {
    return this.#link.recoveries.get(this.#dialog.id) ?? null;
  }

  /** Its owner has it, and listens from the next turn on: a peer may make an offer right behind its ACK. */
  handedOver(): void {
    setImmediate(() => {
      const early = this.#early ?? [];
      this.#early = null;
      for (const answer of early) isolated(this.#link.owner.onFault, answer);
    });
  }

  bye(): Promise<void> {
    if (this.#end !== null) return this.#byeAnswered ?? Promise.resolve();
    this.#byeAnswered = sendBye(this.#link, this.#dialog, this.#digest).then(() => this.endIfOrphaned());
    this.#finish('local_bye');
    return this.#byeAnswered;
  }

  /** Where the server died before the peer had its BYE, the next one sends it. */
  async endIfOrphaned(): Promise<void> {
    const recovery = this.recovery();
    if (!this.#link.alive && recovery !== null) await this.#link.owner.endOrphan(recovery);
  }

  /** Resolves once `recovery` says what there is to say. */
  told(): Promise<void> {
    return this.#link.told(this.#dialog.id);
  }

  onEnded(listener: (cause: DialogEnd) => void): void {
    const end = this.#end;
    if (end === null) this.#endListeners.push(listener);
    else queueMicrotask(() => this.#tell(listener, end));
  }

  onOffer(listener: Reoffer): void {
    this.#onReoffer = listener;
  }

  refer(order: ReferOrder, onOutcome: (outcome: ReferOutcome) => void): void {
    const tell = (outcome: ReferOutcome) => isolated(this.#link.owner.onFault, () => onOutcome(outcome));
    if (this.#end === null) this.#refer.send(order, tell);
    else tell({ type: 'failed', status: null, reason: 'the call ended' });
  }

  onLateOffer(owner: LateOffer): void {
    this.#lateOffer = owner;
  }

  #offer(): string {
    const owner = this.#lateOffer;
    const offer = owner === null ? undefined : isolated(this.#link.owner.onFault, () => owner.offer());
    this.#localSdp = offer ?? this.#localSdp;
    return this.#localSdp;
  }

  #answered(answer: string): void {
    const owner = this.#lateOffer;
    if (owner !== null) isolated(this.#link.owner.onFault, () => owner.answered(answer));
  }

  #finish(cause: DialogEnd): void {
    if (this.#end !== null) return;
    this.#end = cause;
    this.#refer.end(cause === 'remote_bye');
    this.#forgetLink?.();
    for (const listener of this.#endListeners.splice(0)) this.#tell(listener, cause);
  }

  #tell(listener: (cause: DialogEnd) => void, cause: DialogEnd): void {
    isolated(this.#link.owner.onFault, () => listener(cause));
  }

  /** null where nobody listens. A listener that throws refuses. */
  #ask(offer: string): ReturnType<Reoffer> | null {
    const listener = this.#onReoffer;
    return listener && (isolated(this.#link.owner.onFault, () => listener(offer)) ?? { refuse: 500 });
  }
}
