import type { ApplicationMessage } from '../../dialog/sip-application.ts';
import { parseApplicationMessage, UnsafeApplicationMessage } from './application-message.ts';

/** A command of the application, one per frame. The reply repeats its `id`. */
export type Command =
  | { readonly type: 'authenticate'; readonly id: string; readonly secret: string }
  | { readonly type: 'route'; readonly id: string; readonly method: string }
  | { readonly type: 'remove_route'; readonly id: string; readonly method: string }
  | { readonly type: 'ping'; readonly id: string }
  | {
      readonly type: 'sip';
      readonly id: string;
      /** '' unless the message is a response, or a CANCEL of that INVITE. */
      readonly transactionId: string;
      /** '' unless the message is a request inside that dialog. */
      readonly dialogId: string;
      /** The destination of a new request instead of its Request-URI; '' for the Request-URI. */
      readonly route: string;
      readonly message: ApplicationMessage;
    }
  /** Without effect; the reply contains the reason. */
  | { readonly type: 'refused'; readonly id: string; readonly reason: string };

/** @returns null for a frame without an id, which cannot be answered. */
export function parseCommand(payload: string): Command | null {
  const lineEnd = payload.indexOf('\r\n');
  const leader = lineEnd < 0 ? payload : payload.slice(0, lineEnd);
  const [id = '', type = '', ...fields] = leader.split('|');
  if (!/^[A-Za-z0-9-]{1,64}$/.test(id)) return null;
  const refuse = (reason: string): Command => ({ type: 'refused', id, reason });
  if (/[\r\n\0]/.test(leader)) return refuse('malformed command');
  switch (type) {
    case 'authenticate':
      return { type, id, secret: fields[0] ?? '' };
    case 'route':
    case 'remove_route':
      return { type, id, method: (fields[0] ?? '').toUpperCase() };
    case 'ping':
      return { type, id };
    case 'sip':
      return lineEnd < 0 ? refuse('no message') : parseSipCommand(id, fields, payload.slice(lineEnd + 2));
    default:
      return refuse('unknown command');
  }
}

function parseSipCommand(id: string, fields: readonly string[], raw: string): Command {
  // A Call-ID may hold no `|`, so the dialog id is one field.
  const [transactionId = '', dialogId = '', route = ''] = fields;
  try {
    return { type: 'sip', id, transactionId, dialogId, route, message: parseApplicationMessage(raw) };
  } catch (error) {
    if (error instanceof UnsafeApplicationMessage) return { type: 'refused', id, reason: error.message };
    throw error;
  }
}
