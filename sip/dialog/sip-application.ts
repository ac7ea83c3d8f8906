import type { SipHeader, SipMessage, SipRequest, SipResponse } from '../message/sip-message.ts';
import type { Hop, Origin } from '../transport/transport-address.ts';
import type { DialogId } from './dialog-state.ts';

/** The program that decides on calls: one connection of a `drachtio-srf`. This port is all that transactions and dialogs use. */
export interface SipApplication {
  /** Whether the application routes requests of that method outside a dialog. Methods are case-sensitive (RFC 3261 §7.1). */
  takes(method: string): boolean;
  /** @param dialogId '' outside a dialog. */
  request(request: SipRequest, origin: Origin, transactionId: string, dialogId: DialogId | ''): void;
  response(response: SipResponse, origin: Origin, transactionId: string, dialogId: DialogId | ''): void;
  /** The server itself ended the dialog, for the reason in the Reason header of `bye`. */
  ended(bye: SipRequest, hop: Hop, dialogId: DialogId): void;
}

/** The result of a command of the application. */
export type CommandResult =
  | {
      readonly ok: true;
      /** As sent. */
      readonly message: SipMessage;
      readonly hop: Hop;
      readonly transactionId: string;
      readonly dialogId: DialogId | '';
    }
  | { readonly ok: false; readonly reason: string };

/** The text by which `drachtio-srf` recognises a missing dialog (its `ENODIALOG`). */
export const UNKNOWN_DIALOG: CommandResult = { ok: false, reason: 'unable to find dialog' };

/** A message of the application. The server adds Via, tags and CSeq. */
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

/** A command of the application: a message, and the ids of its transaction and dialog ('' without one). */
export interface ApplicationCommand {
  readonly transactionId: string;
  readonly dialogId: string;
  readonly route: string;
  readonly message: ApplicationMessage;
}
