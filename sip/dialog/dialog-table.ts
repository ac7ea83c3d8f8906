import type { SipRequest } from '../message/sip-message.ts';
import type { TimedDialog } from '../session-timer/session-refresher.ts';
import { ActiveCallIds } from '../transaction/active-call-ids.ts';
import type { AnswerRetransmission } from './answer-retransmission.ts';
import { type DialogRecovery, recoveryOf } from './dialog-recovery.ts';
import { type DialogId, type DialogState, dialogKeyOf, dialogKeyOfRequest } from './dialog-state.ts';
import type { SentAck } from './sent-ack.ts';
import type { SipApplication } from './sip-application.ts';

/** A confirmed dialog and its running exchanges. */
export interface LiveDialog extends TimedDialog {
  readonly id: DialogId;
  readonly application: SipApplication;
  readonly state: DialogState;
  /** Our 2xx to the peer's last INVITE, until its ACK arrives. */
  answerRetransmission: AnswerRetransmission | null;
  /** Sends the application's BYE, which must wait for that ACK (RFC 3261 §15). */
  deferredBye: (() => void) | null;
  /** The peer's 2xx to our last INVITE, and our ACK to it. */
  sentAck: SentAck | null;
  /** Our INVITE, or the peer's, has no final response yet. */
  localInvitePending: boolean;
  remoteInvitePending: boolean;
  /** Set after a challenged BYE: cancels the removal that is due without a repeated BYE. */
  cancelRemoval: (() => void) | null;
}

/** null: the dialog is over. */
export type DialogListener = (id: DialogId, sipCallId: string, recovery: DialogRecovery | null) => void;

interface Entry extends LiveDialog {
  state: DialogState;
}

/** All confirmed dialogs, by the key of their messages and by the application's id. */
export class DialogTable {
  readonly #max: number;
  readonly #onDialog: DialogListener;
  readonly #byKey = new Map<string, Entry>();
  readonly #byId = new Map<DialogId, Entry>();
  readonly #callIds = new ActiveCallIds();

  /** The listener is called for each new dialog, each change of its recovery data, and each end. */
  constructor(max: number, onDialog: DialogListener) {
    this.#max = max;
    this.#onDialog = onDialog;
  }

  get size(): number {
    return this.#byKey.size;
  }

  get isFull(): boolean {
    return this.#byKey.size >= this.#max;
  }

  /** A previous dialog with this id is dropped: the application can no longer address it. */
  add(id: DialogId, application: SipApplication, state: DialogState, isCaller: boolean): LiveDialog {
    const entry: Entry = {
      id,
      application,
      state,
      answerRetransmission: null,
      deferredBye: null,
      sentAck: null,
      localInvitePending: false,
      remoteInvitePending: false,
      cancelRemoval: null,
      isCaller,
      allowsUpdate: false,
      localSdp: new Uint8Array(0),
      localContact: null,
      session: null,
    };
    const previous = this.#byId.get(id);
    if (previous !== undefined) this.remove(previous);
    this.#byKey.set(dialogKeyOf(state), entry);
    this.#byId.set(id, entry);
    this.#callIds.add(state.callId);
    this.#onDialog(id, state.callId, recoveryOf(state));
    return entry;
  }

  /** Whether a dialog has this Call-ID. */
  hasCall(callId: string): boolean {
    return this.#callIds.has(callId);
  }

  byId(id: DialogId): LiveDialog | null {
    return this.#byId.get(id) ?? null;
  }

  forRequest(request: SipRequest): LiveDialog | null {
    return this.#byKey.get(dialogKeyOfRequest(request)) ?? null;
  }

  /** Replaces the dialog's data; its tags and Call-ID never change. */
  update(dialog: LiveDialog, state: DialogState): void {
    const entry = this.#byId.get(dialog.id);
    if (entry !== dialog) return;
    const before = entry.state;
    entry.state = state;
    const unchanged =
      before.localCseq === state.localCseq &&
      before.remoteTarget === state.remoteTarget &&
      before.source.address === state.source.address &&
      before.source.port === state.source.port;
    if (!unchanged) this.#onDialog(entry.id, state.callId, recoveryOf(state));
  }

  /** Removes the dialog and stops its timers. Idempotent. */
  remove(dialog: LiveDialog): void {
    if (this.#byId.get(dialog.id) !== dialog) return;
    this.#byId.delete(dialog.id);
    this.#callIds.remove(dialog.state.callId);
    this.#byKey.delete(dialogKeyOf(dialog.state));
    dialog.answerRetransmission?.stop();
    dialog.answerRetransmission = null;
    dialog.cancelRemoval?.();
    dialog.session?.stop();
    dialog.session = null;
    const releaseBye = dialog.deferredBye;
    dialog.deferredBye = null;
    releaseBye?.();
    this.#onDialog(dialog.id, dialog.state.callId, null);
  }

  isLive(dialog: LiveDialog): boolean {
    return this.#byId.get(dialog.id) === dialog;
  }

  of(application: SipApplication): LiveDialog[] {
    return [...this.#byId.values()].filter((dialog) => dialog.application === application);
  }

  /** Removes all dialogs and stops their timers, without calling the listener. */
  clear(): void {
    for (const dialog of this.#byId.values()) {
      dialog.answerRetransmission?.stop();
      dialog.cancelRemoval?.();
      dialog.session?.stop();
    }
    this.#byId.clear();
    this.#callIds.clear();
    this.#byKey.clear();
  }
}

/** Sends the BYE that waited for the peer's ACK. */
export function sendDeferredBye(dialog: LiveDialog): void {
  const send = dialog.deferredBye;
  dialog.deferredBye = null;
  send?.();
}
