import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { getHeader } from '../../sip/message/headers.ts';
import { tagOf } from '../../sip/message/name-address.ts';
import { parseMessage } from '../../sip/message/parse-message.ts';
import { serializeMessage } from '../../sip/message/serialize-message.ts';
import type { SipHeader, SipMessage, SipRequest, SipResponse } from '../../sip/message/sip-message.ts';
import { bindUdp } from '../udp-port.ts';
import { MessageInbox } from './message-inbox.ts';
import { responseTo } from './response-to.ts';

export const SDP = [
  'v=0',
  'o=phone 1 1 IN IP4 127.0.0.1',
  's=-',
  'c=IN IP4 127.0.0.1',
  't=0 0',
  'm=audio 30000 RTP/AVP 0',
  '',
].join('\r\n');

export interface InviteOptions {
  readonly contact?: string;
  readonly recordRoutes?: readonly string[];
  readonly extra?: readonly string[];
  readonly body?: string;
  /** Call-ID and tag of another call, to impersonate it. */
  readonly like?: { readonly callId: string; readonly fromTag: string };
}

/**
 * A SIP peer on UDP that writes its requests as text, so that a test can send any line, malformed ones too. It does not
 * retransmit or acknowledge by itself.
 */
export class SipPhone {
  /** Parse errors of received messages. Expected only if the server copies malformed headers into a refusal. */
  readonly faults: string[] = [];
  readonly #socket: Socket;
  readonly #inbox = new MessageInbox();
  #server: { host: string; port: number };
  #count = 0;

  /** @param port to bind; any by default */
  static async open(server: { host: string; port: number }, port?: number): Promise<SipPhone> {
    return new SipPhone(port === undefined ? await bindUdp('127.0.0.1') : await boundTo(port), server);
  }

  private constructor(socket: Socket, server: { host: string; port: number }) {
    this.#socket = socket;
    this.#server = server;
    socket.on('error', () => undefined);
    socket.on('message', (bytes) => {
      const parsed = parseMessage(bytes);
      if (parsed.ok) this.#inbox.push(parsed.message);
      else this.faults.push(parsed.fault);
    });
  }

  get port(): number {
    return this.#socket.address().port;
  }

  get uri(): string {
    return `sip:phone@127.0.0.1:${this.port}`;
  }

  /** Received messages that no test has taken yet. */
  get unread(): readonly SipMessage[] {
    return this.#inbox.unread;
  }

  send(text: string): void {
    this.sendBytes(Buffer.from(text, 'utf8'));
  }

  sendBytes(bytes: Uint8Array): void {
    this.#socket.send(bytes, this.#server.port, this.#server.host);
  }

  /** A new branch (RFC 3261 §8.1.1.7). */
  branch(): string {
    this.#count += 1;
    return `z9hG4bK-${this.port}-${this.#count}-${Math.random().toString(36).slice(2)}`;
  }

  via(branch: string): string {
    return `Via: SIP/2.0/UDP 127.0.0.1:${this.port};branch=${branch}`;
  }

  /** Text of a request with the given header lines. */
  request(method: string, uri: string, lines: readonly string[], body = ''): string {
    const isTyped = body === '' || lines.some((line) => line.startsWith('Content-Type:'));
    const type = isTyped ? [] : ['Content-Type: application/sdp'];
    return [
      `${method} ${uri} SIP/2.0`,
      ...lines,
      'Max-Forwards: 70',
      ...type,
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n');
  }

  /** A new call. Does not send its INVITE. */
  newCall(options: InviteOptions = {}): OutgoingCall {
    return new OutgoingCall(this, this.#server, options);
  }

  respond(
    request: SipRequest,
    status: number,
    options: { tag?: string; lines?: readonly string[]; body?: string } = {},
  ): void {
    const { tag = 'callee', lines = [], body: sdp = '' } = options;
    this.sendBytes(serializeMessage(responseTo(request, status, { tag, headers: lines.map(headerOf), sdp })));
  }

  nextRequest(method: string, waitMs?: number): Promise<SipRequest> {
    return this.#inbox.request([method], waitMs);
  }

  /** The next request of any of these methods. */
  nextOf(methods: readonly string[], waitMs: number): Promise<SipRequest> {
    return this.#inbox.request(methods, waitMs);
  }

  /** The next response to this method. */
  nextResponse(method: string, status?: number): Promise<SipResponse> {
    return this.#inbox.response(method, status ?? null);
  }

  close(): void {
    this.#socket.close();
  }
}

/** Parses a header line. */
function headerOf(line: string): SipHeader {
  const colon = line.indexOf(':');
  return { name: line.slice(0, colon), value: line.slice(colon + 1).trim() };
}

async function boundTo(port: number): Promise<Socket> {
  const socket = createSocket('udp4').bind(port, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}

interface InDialogOptions {
  readonly cseq?: number;
  readonly lines?: readonly string[];
  readonly body?: string;
  /** Branch of an earlier request, to retransmit it. */
  readonly branch?: string;
}

/** A call of the phone, written as text. */
class OutgoingCall {
  readonly callId: string;
  readonly fromTag: string;
  readonly inviteBranch: string;
  readonly #phone: SipPhone;
  readonly #target: string;
  readonly #options: InviteOptions;
  #toTag: string | null = null;
  #cseq = 1;

  constructor(phone: SipPhone, server: { host: string; port: number }, options: InviteOptions) {
    this.#phone = phone;
    this.#target = `sip:agent@${server.host}:${server.port}`;
    this.#options = options;
    this.callId = options.like?.callId ?? `call-${Math.random().toString(36).slice(2)}`;
    this.fromTag = options.like?.fromTag ?? `from-${Math.random().toString(36).slice(2)}`;
    this.inviteBranch = phone.branch();
  }

  /** Stores the To tag of the response that created the dialog. */
  established(response: SipResponse): void {
    this.#toTag = tagOf(getHeader(response.headers, 'To') ?? '');
  }

  invite(branch = this.inviteBranch): void {
    const { contact = `<${this.#phone.uri}>`, recordRoutes = [], extra = [], body = SDP } = this.#options;
    const lines = [
      ...this.#lines(1, 'INVITE', branch),
      `Contact: ${contact}`,
      ...recordRoutes.map((route) => `Record-Route: ${route}`),
      ...extra,
    ];
    this.#phone.send(this.#phone.request('INVITE', this.#target, lines, body));
  }

  /** Asks the server for its capabilities, outside the call. */
  options(): void {
    const lines = this.#lines(1, 'OPTIONS', this.#phone.branch());
    this.#phone.send(this.#phone.request('OPTIONS', this.#target, lines));
  }

  /** @param body the answer to a late offer */
  ack(cseq = 1, body = ''): void {
    this.#phone.send(this.#phone.request('ACK', this.#target, this.#lines(cseq, 'ACK', this.#phone.branch()), body));
  }

  /** The ACK of a refusal has the INVITE's branch. */
  ackRefusal(response: SipResponse): void {
    this.established(response);
    this.#phone.send(this.#phone.request('ACK', this.#target, this.#lines(1, 'ACK', this.inviteBranch)));
    this.#toTag = null;
  }

  cancel(): void {
    this.#phone.send(this.#phone.request('CANCEL', this.#target, this.#lines(1, 'CANCEL', this.inviteBranch)));
  }

  /** Sends a request in the dialog. @returns its CSeq number. */
  inDialog(method: string, options: InDialogOptions = {}): number {
    const cseq = options.cseq ?? this.#cseq + 1;
    this.#cseq = Math.max(this.#cseq, cseq);
    const lines = [...this.#lines(cseq, method, options.branch ?? this.#phone.branch()), ...(options.lines ?? [])];
    this.#phone.send(this.#phone.request(method, this.#target, lines, options.body));
    return cseq;
  }

  #lines(cseq: number, method: string, branch: string): string[] {
    return [
      this.#phone.via(branch),
      `From: <sip:phone@127.0.0.1>;tag=${this.fromTag}`,
      `To: <${this.#target}>${this.#toTag === null ? '' : `;tag=${this.#toTag}`}`,
      `Call-ID: ${this.callId}`,
      `CSeq: ${cseq} ${method}`,
    ];
  }
}
