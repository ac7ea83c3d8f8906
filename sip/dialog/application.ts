import type { SipHeader, SipMessage, SipRequest, SipResponse } from '../message/sip-message.ts';
import type { Hop } from '../transport/hop.ts';
import type { Origin } from '../transport/origin.ts';
import type { DialogId } from './dialog-state.ts';

/** The program that decides on calls, as transactions and dialogs see it: one connection of a `drachtio-srf`. */
export interface Application {
  /** Whether it asked for requests of that method outside a dialog. */
  takes(method: string): boolean;
  /** @param dialogId '' outside a dialog. */
  request(request: SipRequest, origin: Origin, transactionId: string, dialogId: DialogId | ''): void;
  response(response: SipResponse, origin: Origin, transactionId: string, dialogId: DialogId | ''): void;
  /** The dialog is over by this server's own doing; `bye` says why in its Reason header. */
  ended(bye: SipRequest, hop: Hop, dialogId: DialogId): void;
}

/** What became of an order of the application's. */
export type CommandResult =
  | {
      readonly ok: true;
      /** As it went out. */
      readonly message: SipMessage;
      readonly hop: Hop;
      readonly transactionId: string;
      readonly dialogId: DialogId | '';
    }
  | { readonly ok: false; readonly reason: string };

/** The words by which `drachtio-srf` knows that a dialog is gone (its `ENODIALOG`). */
export const UNKNOWN_DIALOG: CommandResult = { ok: false, reason: 'unable to find dialog' };

/** What the application wants sent: less than a SIP message, for Via, tags and CSeq are ours to add. */
export type ApplicationMessage =
  | {
      readonly kind: 'request';
      readonly method: string;
      readonly uri: string;
      readonly headers: readonly SipHeader[];
      readonly body: Uint8Array;
    }
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly reason: string;
      readonly headers: readonly SipHeader[];
      readonly body: Uint8Array;
    };

/** An order of the application's: a message, and what it belongs to. Empty texts where it belongs to nothing. */
export interface ApplicationCommand {
  readonly transactionId: string;
  readonly dialogId: string;
  readonly route: string;
  readonly message: ApplicationMessage;
}
