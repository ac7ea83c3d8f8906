import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import Srf from 'drachtio-srf';
import { catchErrors } from './catch-errors.ts';

/** The used part of `drachtio-srf`, typed after its source; its own types are incomplete and partly wrong. */
export interface SrfClient {
  connect(options: { host: string; port: number; secret: string; reconnect: { maxAttempts: number } }): void;
  on(event: 'connect', listener: (error: Error | null, addresses?: string) => void): void;
  on(event: 'close' | 'error', listener: () => void): void;
  invite(handler: SrfHandler): void;
  options(handler: SrfHandler): void;
  /**
   * Sends the 200 and creates the dialog. Calls back when the 200 was sent. The error is a string if the server
   * refuses.
   */
  createUAS(req: SrfRequest, res: SrfResponse, options: SrfAnswer, callback: SrfDialogCallback): void;
  /**
   * Sends a request outside any dialog. Calls back with an error if it cannot be sent. Throws without a connection.
   */
  request(uri: string, request: SrfDialogRequest, callback: (error: unknown, sent?: SrfRequest) => void): void;
  createUAC(uri: string, options: SrfAnswer, progress: SrfProgress, callback: SrfDialogCallback): void;
  removeDialog(dialog: SrfDialog): void;
}

export type SrfHandler = (req: SrfRequest, res: SrfResponse) => void;
export type SrfDialogCallback = (error: unknown, dialog?: SrfDialog) => void;

export interface SrfAnswer {
  readonly localSdp: string;
  /** Written to by the library. */
  readonly headers: Record<string, string>;
  /** SIP URI of the server that gets the request instead of the one that the Request-URI names. */
  readonly proxy?: string;
}

export interface SrfProgress {
  readonly cbRequest: (error: unknown, req?: SrfRequest) => void;
  readonly cbProvisional: (res: SrfProvisional) => void;
}

export interface SrfProvisional {
  readonly status: number;
  readonly body: string;
  /** The value of a header; undefined without it. */
  get(name: string): string | undefined;
}

export interface SrfMessage {
  /** The whole message as received or sent. */
  readonly raw: string;
}

/** A response to our request. */
export interface SrfResult extends SrfMessage {
  readonly status: number;
  readonly source_address: string;
  readonly source_port: number;
  readonly protocol: string;
  /** The request as it was sent. */
  readonly req?: SrfRequest;
  /** The value of a header; undefined without it. */
  get(name: string): string | undefined;
}

export interface SrfDialogRequest {
  readonly method: string;
  /** Written to by the library. */
  readonly headers?: Record<string, string>;
  readonly body?: string;
  /** As in `SrfAnswer`. */
  readonly proxy?: string;
}

export interface SrfRequest extends SrfMessage {
  readonly method: string;
  /** `application`: created by the server itself. */
  readonly source: 'network' | 'application';
  readonly source_address: string;
  readonly source_port: number;
  readonly protocol: string;
  readonly body: string;
  get(name: string): string | undefined;
  on(event: 'cancel', listener: () => void): void;
  /** For our request: each response, provisional ones too. */
  on(event: 'response', listener: (result: SrfResult) => void): void;
  /** For our request. Throws without a connection. */
  cancel(callback: (error: unknown) => void): void;
}

export interface SrfResponse {
  /** Throws for a status that has no name. */
  send(status: number, reason: string | undefined, options: { headers?: Record<string, string>; body?: string }): void;
}

export interface SrfDialog {
  readonly id: string;
  /** The INVITE, sent or received. */
  readonly req: SrfMessage;
  /** For our call: its 2xx. */
  readonly res: SrfResult;
  readonly sip: { readonly callId: string; readonly remoteTag?: string };
  readonly remote: { readonly sdp: string };
  on(event: 'destroy' | 'ack', listener: (req: SrfRequest) => void): void;
  on(event: 'modify' | 'update' | 'info' | 'refer' | 'message' | 'publish' | 'notify', listener: SrfHandler): void;
  once(event: 'ack', listener: (req: SrfRequest) => void): void;
  /**
   * Calls back with each response, provisional ones too. The library sends the ACK of an INVITE. Never calls back after
   * the connection was lost.
   */
  request(request: SrfDialogRequest, callback: (error: unknown, result?: SrfResult) => void): void;
}

const METHODS = ['connect', 'on', 'invite', 'options', 'createUAS', 'createUAC', 'removeDialog'];

export function makeSrfClient(): SrfClient {
  const srf: object = new Srf();
  if (!isSrfClient(srf)) throw new Error('unsupported version of drachtio-srf');
  return srf;
}

function isSrfClient(srf: object): srf is SrfClient {
  return METHODS.every((name) => typeof Reflect.get(srf, name) === 'function');
}

/**
 * Prevents malformed frames from ending the process: the library throws in the `data` event of its socket. An unsupported
 * frame type or message is dropped. An unreadable length closes the connection, since later frames cannot be split. Call
 * it right after `connect`.
 * @param onSocket receives the connected socket.
 */
export function guardFrames(
  srf: SrfClient,
  onFault: (error: unknown) => void,
  onSocket: (socket: Socket) => void,
): void {
  const wire = wireProtocolOf(srf);
  const emit = wire.emit.bind(wire);
  wire.emit = (event, ...parameters: unknown[]) => {
    if (event !== 'msg') return emit(event, ...parameters);
    return catchErrors(onFault, () => emit(event, ...parameters)) ?? true;
  };
  wire.on('connect', (socket: unknown) => {
    if (!(socket instanceof Socket)) return;
    const listeners = socket.listeners('data');
    socket.removeAllListeners('data');
    socket.on('data', (chunk) => {
      const handled = catchErrors(onFault, () => {
        for (const listener of listeners) listener.call(socket, chunk);
        return true;
      });
      if (handled !== true) socket.destroy();
    });
    onSocket(socket);
  });
}

function wireProtocolOf(srf: SrfClient): EventEmitter {
  const parts = ['app', 'client', 'wp'];
  const wire = parts.reduce<unknown>((owner, name) => (isObject(owner) ? Reflect.get(owner, name) : undefined), srf);
  if (!(wire instanceof EventEmitter)) throw new Error('unsupported version of drachtio-srf');
  return wire;
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
