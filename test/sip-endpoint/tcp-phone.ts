import { connect, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { getHeader } from '../../sip/message/headers.ts';
import { tagOf } from '../../sip/message/name-address.ts';
import { parseMessage } from '../../sip/message/parse-message.ts';
import { serializeMessage } from '../../sip/message/serialize-message.ts';
import type { SipRequest, SipResponse } from '../../sip/message/sip-message.ts';
import { StreamFramer } from '../../sip/message/stream-framer.ts';
import { MessageInbox } from './message-inbox.ts';
import { responseTo } from './response-to.ts';
import { SDP } from './sip-phone.ts';

const UNREACHABLE = { name: 'Contact', value: '<sip:phone@127.0.0.1:9>' };

/** A SIP peer on one TCP connection that writes its requests as text. */
export class TcpPhone {
  readonly socket: Socket;
  readonly #framer = new StreamFramer();
  readonly #inbox = new MessageInbox();
  readonly #id = Math.random().toString(36).slice(2);
  /** All received bytes as text, for assertions on keep-alives and malformed data. */
  heard = '';

  static async open(server: { host: string; port: number }): Promise<TcpPhone> {
    const socket = connect(server);
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', () => resolve());
      socket.once('error', reject);
    });
    return new TcpPhone(socket);
  }

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      this.heard += chunk.toString('latin1');
      for (const event of this.#framer.push(chunk)) {
        const parsed = event.type === 'message' ? parseMessage(event.bytes) : null;
        if (parsed?.ok) this.#inbox.push(parsed.message);
      }
    });
  }

  /** The text of a request in this phone's only call. */
  text(method: string, cseq: number, contact: string, toTag: string | null = null): string {
    const body = method === 'INVITE' ? SDP : '';
    return [
      `${method} sip:agent@127.0.0.1 SIP/2.0`,
      `Via: SIP/2.0/${this.socket instanceof TLSSocket ? 'TLS' : 'TCP'} 127.0.0.1:5999;branch=z9hG4bK-${this.#id}-${cseq}-${method};rport`,
      `From: <sip:phone@127.0.0.1>;tag=f${this.#id}`,
      `To: <sip:agent@127.0.0.1>${toTag === null ? '' : `;tag=${toTag}`}`,
      `Call-ID: tcp-${this.#id}`,
      `CSeq: ${cseq} ${method}`,
      `Contact: <${contact}>`,
      ...(body === '' ? [] : ['Content-Type: application/sdp']),
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n');
  }

  /** With SDP: a 2xx that creates a dialog, with an unreachable Contact. */
  respond(request: SipRequest, status: number, sdp = ''): void {
    const options = sdp === '' ? {} : { tag: 'callee', headers: [UNREACHABLE], sdp };
    this.socket.write(serializeMessage(responseTo(request, status, options)));
  }

  nextResponse(status: number): Promise<SipResponse> {
    return this.#inbox.response(null, status);
  }

  nextRequest(method: string): Promise<SipRequest> {
    return this.#inbox.request([method]);
  }

  static toTag(response: SipResponse): string | null {
    return tagOf(getHeader(response.headers, 'To') ?? '');
  }
}
