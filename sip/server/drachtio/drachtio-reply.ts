import { canonicalName } from '../../message/headers.ts';
import { serializeMessage } from '../../message/serialize-message.ts';
import type { SipMessage } from '../../message/sip-message.ts';
import type { Hop, Origin } from '../../transport/transport-address.ts';

/** The version of drachtio-server whose protocol this is. `drachtio-srf` pings from v0.8.2 on. */
const PROTOCOL_VERSION = 'v0.9.10';

/** The ids and the time of a message. */
export interface MessageContext {
  readonly transactionId: string;
  /** '' outside a dialog, or before it exists. */
  readonly dialogId: string;
  /** The time of day, which `drachtio-srf` passes to the service. */
  readonly time: string;
}

const decoder = new TextDecoder();

/** The successful reply to `authenticate`: our addresses and the protocol version. */
export function authenticatedReply(frameId: string, commandId: string, addresses: readonly string[]): string {
  const list = addresses.join(',');
  return `${frameId}|response|${commandId}|OK|${list}|${PROTOCOL_VERSION}|${list}`;
}

export function doneReply(frameId: string, commandId: string): string {
  return `${frameId}|response|${commandId}|OK`;
}

/** `drachtio-srf` shows the reason in its error message. */
export function refusedReply(frameId: string, commandId: string, reason: string): string {
  return `${frameId}|response|${commandId}|NOK|${reason.replace(/[|\r\n]/g, ' ')}`;
}

/** The successful reply to a `sip` command: the message as sent. */
export function sentReply(
  frameId: string,
  commandId: string,
  message: SipMessage,
  hop: Hop,
  context: MessageContext,
): string {
  const raw = textOf(message);
  const { transactionId, dialogId, time } = context;
  return (
    `${frameId}|response|${commandId}|OK|application|${raw.bytes}|${hop.transport}|${hop.address}|${hop.port}|${time}` +
    `|${transactionId}|${dialogId}\r\n${raw.text}`
  );
}

/** A message of a peer. */
export function networkMessage(frameId: string, message: SipMessage, origin: Origin, context: MessageContext): string {
  const raw = textOf(message);
  const { transactionId, dialogId, time } = context;
  return (
    `${frameId}|sip|network|${raw.bytes}|${origin.transport}|${origin.address}|${origin.port}|${time}` +
    `|${transactionId}|${dialogId}|${origin.localAddress}|${origin.localPort}|\r\n${raw.text}`
  );
}

/** The BYE with which the server itself ended a dialog. */
export function unsolicitedBye(frameId: string, message: SipMessage, hop: Hop, dialogId: string, time: string): string {
  const raw = textOf(message);
  return (
    `${frameId}|sip|application|${raw.bytes}|${hop.transport}|${hop.address}|${hop.port}|${time}` +
    `|unsolicited|${dialogId}|\r\n${raw.text}`
  );
}

/** With long header names, since `drachtio-srf` supports few of the compact ones. */
function textOf(message: SipMessage): { readonly text: string; readonly bytes: number } {
  const headers = message.headers.map(({ name, value }) => ({
    name: name.length === 1 ? canonicalName(name) : name,
    value,
  }));
  const bytes = serializeMessage({ ...message, headers });
  return { text: decoder.decode(bytes), bytes: bytes.length };
}
