import { connect, type Socket } from 'node:net';
import { getHeader, getHeaderLines } from '../../../sip/message/headers.ts';
import { tagOf } from '../../../sip/message/name-address.ts';
import { parseMessage } from '../../../sip/message/parse-message.ts';
import type { SipMessage, SipRequest, SipResponse } from '../../../sip/message/sip-message.ts';
import { StreamFramer } from '../../../sip/message/stream-framer.ts';
import { SDP } from './sip-phone.ts';

const WAIT_MS = 20_000;

/** A caller over one TCP connection, message by message. */
export class TcpPhone {
  readonly socket: Socket;
  readonly #framer = new StreamFramer();
  readonly #inbox: SipMessage[] = [];
  #wake: () => void = () => undefined;
  readonly #id = Math.random().toString(36).slice(2);
  /** Every byte that came, for what is no message. */
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
      this.#wake();
    });
  }

  /** Text of a request of this phone's one call. */
  text(method: string, cseq: number, contact: string, toTag: string | null = null): string {
    const body = method === 'INVITE' ? SDP : '';
    return [
      `${method} sip:agent@127.0.0.1 SIP/2.0`,
      `Via: SIP/2.0/TCP 127.0.0.1:5999;branch=z9hG4bK-${this.#id}-${cseq}-${method};rport`,
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

  /** With a body: as a 2xx that makes a dialog, whose Contact nobody can reach. */
  respond(request: SipRequest, status: number, sdp = ''): void {
    const copied = ['Via', 'From', 'To', 'Call-ID', 'CSeq'].flatMap((name) =>
      getHeaderLines(request.headers, name).map((value) => `${name}: ${value}${tagFor(name, sdp)}`),
    );
    const contact = sdp === '' ? [] : ['Contact: <sip:phone@127.0.0.1:9>', 'Content-Type: application/sdp'];
    const length = `Content-Length: ${Buffer.byteLength(sdp)}`;
    this.socket.write([`SIP/2.0 ${status} Test`, ...copied, ...contact, length, '', sdp].join('\r\n'));
  }

  async nextResponse(status: number): Promise<SipResponse> {
    const found = await this.#next((message) => message.kind === 'response' && message.status === status);
    if (found.kind !== 'response') throw new Error('unreachable');
    return found;
  }

  async nextRequest(method: string): Promise<SipRequest> {
    const found = await this.#next((message) => message.kind === 'request' && message.method === method);
    if (found.kind !== 'request') throw new Error('unreachable');
    return found;
  }

  static toTag(response: SipResponse): string | null {
    return tagOf(getHeader(response.headers, 'To') ?? '');
  }

  async #next(matches: (message: SipMessage) => boolean): Promise<SipMessage> {
    const late = AbortSignal.timeout(WAIT_MS);
    for (;;) {
      const index = this.#inbox.findIndex(matches);
      const [found] = index < 0 ? [] : this.#inbox.splice(index, 1);
      if (found !== undefined) return found;
      await new Promise<void>((resolve, reject) => {
        this.#wake = resolve;
        late.addEventListener('abort', () => reject(new Error(`nothing of the kind within ${WAIT_MS} ms`)));
      });
    }
  }
}

function tagFor(name: string, sdp: string): string {
  return name === 'To' && sdp !== '' ? ';tag=callee' : '';
}
