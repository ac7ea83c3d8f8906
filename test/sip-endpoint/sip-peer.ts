import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:dgram';
import { once } from 'node:events';
import { getHeader } from '../../sip/message/headers.ts';
import { parseMessage } from '../../sip/message/parse-message.ts';
import { serializeMessage } from '../../sip/message/serialize-message.ts';
import type { SipHeader, SipMessage, SipRequest, SipResponse } from '../../sip/message/sip-message.ts';
import { bindUdp } from '../udp-port.ts';
import { MessageInbox } from './message-inbox.ts';
import { responseTo } from './response-to.ts';

const encoder = new TextEncoder();

/** Longer than any transaction (64·T1), as some tests wait for the end of one. */
const WAIT_MS = 60_000;

/** A SIP peer on UDP that sends only the given messages, and stores the received ones. */
export class SipPeer {
  readonly host = '127.0.0.1';
  readonly port: number;
  /** Called for each received message, before a test takes it. */
  onMessage: (message: SipMessage) => void = () => {};
  readonly #inbox = new MessageInbox();
  readonly #socket: Socket;
  #server: { readonly host: string; readonly port: number };

  private constructor(socket: Socket, server: { readonly host: string; readonly port: number }) {
    this.#socket = socket;
    this.#server = server;
    this.port = socket.address().port;
    socket.on('message', (bytes) => {
      const parsed = parseMessage(bytes);
      if (!parsed.ok) return;
      this.onMessage(parsed.message);
      this.#inbox.push(parsed.message);
    });
  }

  /** Received messages that no test has taken yet, retransmissions included. */
  get inbox(): readonly SipMessage[] {
    return this.#inbox.unread;
  }

  /** @param server the destination of all messages */
  static async open(server: { readonly host: string; readonly port: number }): Promise<SipPeer> {
    return new SipPeer(await bindUdp('127.0.0.1'), server);
  }

  /** Changes the destination of later messages. */
  setServer(server: { readonly host: string; readonly port: number }): void {
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

  /** Takes the first matching message, stored or future. */
  next<M extends SipMessage>(matches: (message: SipMessage) => message is M): Promise<M> {
    return this.#inbox.next(matches, 'message of the described kind', WAIT_MS);
  }

  request(method: string): Promise<SipRequest> {
    return this.#inbox.request([method], WAIT_MS);
  }

  /** Takes a response with this status, and to this method if given. */
  response(status: number, method?: string): Promise<SipResponse> {
    return this.#inbox.response(method ?? null, status, WAIT_MS);
  }

  /** A new INVITE to this user of the server. Does not send it. */
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

  /** The CANCEL of our INVITE, with its Via, From, To and Call-ID. */
  cancel(invite: SipRequest): SipRequest {
    const headers = ['Via', 'From', 'To', 'Call-ID'].map((name) => ({
      name,
      value: getHeader(invite.headers, name) ?? '',
    }));
    const cseq = { name: 'CSeq', value: '1 CANCEL' };
    return { ...invite, method: 'CANCEL', headers: [...headers, cseq], body: new Uint8Array(0) };
  }

  /** A request in the dialog of our INVITE and its 2xx. Does not send it. */
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

  /** Our response to a request of the server, with a To tag. Does not send it. */
  answer(request: SipRequest, status: number, sdp = '', extra: readonly SipHeader[] = []): SipResponse {
    const contact = { name: 'Contact', value: `<sip:bob@${this.host}:${this.port}>` };
    return responseTo(request, status, { tag: 'peer', headers: [contact, ...extra], sdp });
  }

  #via(): string {
    return `SIP/2.0/UDP ${this.host}:${this.port};branch=z9hG4bK${randomUUID()};rport`;
  }
}

export function textOf(message: SipMessage): string {
  return new TextDecoder().decode(message.body);
}
