import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:dgram';
import { once } from 'node:events';
import { getHeader, getHeaderLines } from '../../sip/message/headers.ts';
import { tagOf } from '../../sip/message/name-address.ts';
import { parseMessage } from '../../sip/message/parse-message.ts';
import { serializeMessage } from '../../sip/message/serialize-message.ts';
import type { SipHeader, SipMessage, SipRequest, SipResponse } from '../../sip/message/sip-message.ts';
import { bindUdp } from '../udp-port.ts';

const encoder = new TextEncoder();

/** A SIP peer without a mind of its own: it sends what a test says, and keeps what it is sent. UDP on 127.0.0.1. */
export class SipPeer {
  readonly host = '127.0.0.1';
  readonly port: number;
  /** What no `next` has taken yet. Repetitions stand in it too. */
  readonly inbox: SipMessage[] = [];
  readonly #socket: Socket;
  #server: { readonly host: string; readonly port: number };
  #wake: () => void = () => {};

  private constructor(socket: Socket, server: { readonly host: string; readonly port: number }) {
    this.#socket = socket;
    this.#server = server;
    this.port = socket.address().port;
    socket.on('message', (bytes) => {
      const parsed = parseMessage(bytes);
      if (parsed.ok) this.inbox.push(parsed.message);
      this.#wake();
    });
  }

  /** @param server where it sends to. */
  static async open(server: { readonly host: string; readonly port: number }): Promise<SipPeer> {
    return new SipPeer(await bindUdp('127.0.0.1'), server);
  }

  /** Sends to another server from now on. */
  aim(server: { readonly host: string; readonly port: number }): void {
    this.#server = server;
  }

  async close(): Promise<void> {
    this.#socket.close();
    await once(this.#socket, 'close');
  }

  send(message: SipMessage | Uint8Array): void {
    const bytes = message instanceof Uint8Array ? message : serializeMessage(message);
    this.#socket.send(bytes, this.#server.port, this.#server.host);
  }

  /** Takes the first message that matches out of the inbox, waiting for it. */
  async next<M extends SipMessage>(matches: (message: SipMessage) => message is M): Promise<M> {
    for (;;) {
      const found = this.inbox.find(matches);
      if (found !== undefined) {
        this.inbox.splice(this.inbox.indexOf(found), 1);
        return found;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  request(method: string): Promise<SipRequest> {
    return this.next((message): message is SipRequest => message.kind === 'request' && message.method === method);
  }

  /** A response of that status; to that method where one is named. */
  response(status: number, method?: string): Promise<SipResponse> {
    return this.next((message): message is SipResponse => {
      if (message.kind !== 'response' || message.status !== status) return false;
      return method === undefined || (getHeader(message.headers, 'CSeq') ?? '').endsWith(` ${method}`);
    });
  }

  /** A new INVITE to that user of the server, not sent yet. */
  invite(user: string, sdp: string, extra: readonly SipHeader[] = []): SipRequest {
    const { host, port } = this.#server;
    const headers = [
      { name: 'Via', value: this.#via() },
      { name: 'Max-Forwards', value: '70' },
      { name: 'From', value: `<sip:alice@${this.host}>;tag=${randomUUID()}` },
      { name: 'To', value: `<sip:${user}@${host}>` },
      { name: 'Call-ID', value: randomUUID() },
      { name: 'CSeq', value: '1 INVITE' },
      { name: 'Contact', value: `<sip:alice@${this.host}:${this.port}>` },
      ...(sdp === '' ? [] : [{ name: 'Content-Type', value: 'application/sdp' }]),
      ...extra,
    ];
    return {
      kind: 'request',
      method: 'INVITE',
      uri: `sip:${user}@${host}:${port}`,
      headers,
      body: encoder.encode(sdp),
    };
  }

  /** The CANCEL of an INVITE of ours: the same Via, and all that names the transaction. */
  cancel(invite: SipRequest): SipRequest {
    const headers = ['Via', 'From', 'To', 'Call-ID'].map((name) => ({
      name,
      value: getHeader(invite.headers, name) ?? '',
    }));
    const cseq = { name: 'CSeq', value: '1 CANCEL' };
    return { ...invite, method: 'CANCEL', headers: [...headers, cseq], body: new Uint8Array(0) };
  }

  /** A request in the dialog that our INVITE and its 2xx made. */
  inDialog(invite: SipRequest, ok: SipResponse, method: string, cseq: number, sdp = ''): SipRequest {
    const contact = getHeader(ok.headers, 'Contact') ?? '';
    const headers = [
      { name: 'Via', value: this.#via() },
      { name: 'From', value: getHeader(invite.headers, 'From') ?? '' },
      { name: 'To', value: getHeader(ok.headers, 'To') ?? '' },
      { name: 'Call-ID', value: getHeader(invite.headers, 'Call-ID') ?? '' },
      { name: 'CSeq', value: `${cseq} ${method}` },
      { name: 'Contact', value: `<sip:alice@${this.host}:${this.port}>` },
      ...(sdp === '' ? [] : [{ name: 'Content-Type', value: 'application/sdp' }]),
    ];
    const uri = /<(.*)>/.exec(contact)?.[1] ?? '';
    return { kind: 'request', method, uri, headers, body: encoder.encode(sdp) };
  }

  /** Our answer to a request of the server's; our tag stands in To unless it has one. */
  answer(request: SipRequest, status: number, sdp = '', extra: readonly SipHeader[] = []): SipResponse {
    const to = getHeader(request.headers, 'To') ?? '';
    const headers = [
      ...getHeaderLines(request.headers, 'Via').map((value) => ({ name: 'Via', value })),
      { name: 'From', value: getHeader(request.headers, 'From') ?? '' },
      { name: 'To', value: status === 100 || tagOf(to) !== null ? to : `${to};tag=peer` },
      { name: 'Call-ID', value: getHeader(request.headers, 'Call-ID') ?? '' },
      { name: 'CSeq', value: getHeader(request.headers, 'CSeq') ?? '' },
      { name: 'Contact', value: `<sip:bob@${this.host}:${this.port}>` },
      ...(sdp === '' ? [] : [{ name: 'Content-Type', value: 'application/sdp' }]),
      ...extra,
    ];
    return { kind: 'response', status, reason: 'x', headers, body: encoder.encode(sdp) };
  }

  #via(): string {
    return `SIP/2.0/UDP ${this.host}:${this.port};branch=z9hG4bK${randomUUID()};rport`;
  }
}

export function textOf(message: SipMessage): string {
  return new TextDecoder().decode(message.body);
}
