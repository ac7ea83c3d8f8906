import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { getHeader, getHeaderLines } from '../../../sip/message/headers.ts';
import { tagOf } from '../../../sip/message/name-address.ts';
import { parseMessage } from '../../../sip/message/parse-message.ts';
import type { SipMessage, SipRequest, SipResponse } from '../../../sip/message/sip-message.ts';
import { bindUdp } from '../../udp-port.ts';

/** How long a test waits for a message before it fails. */
const WAIT_MS = 20_000;

export const SDP = [
  'v=0',
  'o=phone 1 1 IN IP4 127.0.0.1',
  's=-',
  'c=IN IP4 127.0.0.1',
  't=0 0',
  'm=audio 30000 RTP/AVP 0',
  '',
].join('\r\n');

interface Waiter {
  readonly matches: (message: SipMessage) => boolean;
  readonly resolve: (message: SipMessage) => void;
}

export interface InviteOptions {
  readonly contact?: string;
  readonly recordRoutes?: readonly string[];
  readonly extra?: readonly string[];
  readonly body?: string;
  /** A call that pretends to be another. */
  readonly like?: { readonly callId: string; readonly fromTag: string };
}

/**
 * A SIP peer that does only what a test tells it, message by message: no retransmissions, no automatic ACK. Test
 * ports lie outside the kernel's ephemeral range.
 */
export class SipPhone {
  /** Why what the server sent could not be read: nothing, unless it refuses nonsense with its own headers. */
  readonly faults: string[] = [];
  readonly #socket: Socket;
  readonly #inbox: SipMessage[] = [];
  readonly #waiters: Waiter[] = [];
  #server: { host: string; port: number };
  #count = 0;

  /** @param port one of its own; left out: any. */
  static async open(server: { host: string; port: number }, port?: number): Promise<SipPhone> {
    return new SipPhone(port === undefined ? await bindUdp('127.0.0.1') : await boundTo(port), server);
  }

  private constructor(socket: Socket, server: { host: string; port: number }) {
    this.#socket = socket;
    this.#server = server;
    socket.on('error', () => undefined);
    socket.on('message', (bytes) => {
      const parsed = parseMessage(bytes);
      if (!parsed.ok) {
        this.faults.push(parsed.fault);
        return;
      }
      const index = this.#waiters.findIndex(({ matches }) => matches(parsed.message));
      const [waiter] = index < 0 ? [] : this.#waiters.splice(index, 1);
      if (waiter === undefined) this.#inbox.push(parsed.message);
      else waiter.resolve(parsed.message);
    });
  }

  get port(): number {
    return this.#socket.address().port;
  }

  get uri(): string {
    return `sip:phone@127.0.0.1:${this.port}`;
  }

  /** Messages that nothing has asked for yet. */
  get unread(): readonly SipMessage[] {
    return this.#inbox;
  }

  send(text: string): void {
    this.sendBytes(Buffer.from(text, 'utf8'));
  }

  sendBytes(bytes: Uint8Array): void {
    this.#socket.send(bytes, this.#server.port, this.#server.host);
  }

  /** A branch of RFC 3261, new each time. */
  branch(): string {
    this.#count += 1;
    return `z9hG4bK-${this.port}-${this.#count}-${Math.random().toString(36).slice(2)}`;
  }

  via(branch: string): string {
    return `Via: SIP/2.0/UDP 127.0.0.1:${this.port};branch=${branch}`;
  }

  /** Text of a request; the lines given come in front of the body. */
  request(method: string, uri: string, lines: readonly string[], body = ''): string {
    const type = body === '' ? [] : ['Content-Type: application/sdp'];
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

  /** A new call's INVITE, and what its later requests need. */
  newCall(options: InviteOptions = {}): OutgoingCall {
    return new OutgoingCall(this, this.#server, options);
  }

  respond(
    request: SipRequest,
    status: number,
    options: { tag?: string; lines?: readonly string[]; body?: string } = {},
  ): void {
    const { tag = 'callee', lines = [], body = '' } = options;
    const to = getHeader(request.headers, 'To') ?? '';
    const type = body === '' ? [] : ['Content-Type: application/sdp'];
    this.send(
      [
        `SIP/2.0 ${status} Test`,
        ...getHeaderLines(request.headers, 'Via').map((value) => `Via: ${value}`),
        `From: ${getHeader(request.headers, 'From')}`,
        `To: ${tagOf(to) === null && status > 100 ? `${to};tag=${tag}` : to}`,
        `Call-ID: ${getHeader(request.headers, 'Call-ID')}`,
        `CSeq: ${getHeader(request.headers, 'CSeq')}`,
        ...lines,
        ...type,
        `Content-Length: ${Buffer.byteLength(body)}`,
        '',
        body,
      ].join('\r\n'),
    );
  }

  nextRequest(method: string, waitMs = WAIT_MS): Promise<SipRequest> {
    return this.nextOf([method], waitMs);
  }

  /** The next request of any of these methods. */
  nextOf(methods: readonly string[], waitMs: number): Promise<SipRequest> {
    return this.#next(
      (message): message is SipRequest => message.kind === 'request' && methods.includes(message.method),
      `a ${methods.join(' or ')}`,
      waitMs,
    );
  }

  /** The next response to that method, whatever came before it of other methods. */
  nextResponse(method: string, status?: number): Promise<SipResponse> {
    const matches = (message: SipMessage): message is SipResponse =>
      message.kind === 'response' &&
      (getHeader(message.headers, 'CSeq') ?? '').endsWith(` ${method}`) &&
      (status === undefined || message.status === status);
    return this.#next(matches, `${status ?? 'a response'} to ${method}`);
  }

  close(): void {
    this.#socket.close();
  }

  #next<M extends SipMessage>(
    matches: (message: SipMessage) => message is M,
    wanted: string,
    waitMs = WAIT_MS,
  ): Promise<M> {
    const index = this.#inbox.findIndex(matches);
    const [found] = index < 0 ? [] : this.#inbox.splice(index, 1);
    if (found !== undefined && matches(found)) return Promise.resolve(found);
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        matches,
        resolve: (message) => {
          clearTimeout(limit);
          if (matches(message)) resolve(message);
        },
      };
      const limit = setTimeout(() => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(new Error(`no ${wanted} within ${waitMs} ms`));
      }, waitMs);
      this.#waiters.push(waiter);
    });
  }
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
  /** That of a request before, to send it again. */
  readonly branch?: string;
}

/** A call that the phone makes, as lines of text. */
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

  /** Takes over the tag of the response that made the dialog. */
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

  /** @param body the answer to a late offer. */
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

  /** @returns its CSeq number. */
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
