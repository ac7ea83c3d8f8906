import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { getHeader } from '../../sip/message/headers.ts';
import { parseMessage } from '../../sip/message/parse-message.ts';
import { serializeMessage } from '../../sip/message/serialize-message.ts';
import type { SipHeader, SipMessage, SipRequest } from '../../sip/message/sip-message.ts';
import { StreamFramer } from '../../sip/message/stream-framer.ts';
import { branchOf, parseVias } from '../../sip/message/via.ts';
import { bindUdp } from '../udp-port.ts';
import { responseTo } from './response-to.ts';
import { type Hop, hostPortOf } from './sip-transport.ts';

/** `each`: every retransmission counts as a new request, for tests of retransmissions. */
export type Retransmissions = 'answered' | 'each';

/**
 * A UAS that stores requests and sends the test's responses. It answers a retransmission with the last response (RFC 3261
 * §17.2). It reports each request once, because the number of retransmissions depends on the load of the machine.
 */
export class SipCallee {
  #sentRequests = 0;
  /** The last response by transaction; null before the first. */
  readonly #lastResponses = new Map<string, SipMessage | null>();
  readonly #retransmissions: Retransmissions;
  readonly requests: SipRequest[] = [];
  readonly responses: number[] = [];
  onRequest: (request: SipRequest) => void = () => undefined;
  readonly hop: Hop;
  readonly #sendBytes: (bytes: Uint8Array) => void;
  readonly #end: () => void;

  private constructor(
    hop: Hop,
    retransmissions: Retransmissions,
    sendBytes: (bytes: Uint8Array) => void,
    end: () => void,
  ) {
    this.#retransmissions = retransmissions;
    this.hop = hop;
    this.#sendBytes = sendBytes;
    this.#end = end;
  }

  static async open(host = '127.0.0.1', retransmissions: Retransmissions = 'answered'): Promise<SipCallee> {
    const socket = await bindUdp(host);
    let peer: Hop = { host, port: 9 };
    const uas = new SipCallee(
      { host, port: socket.address().port },
      retransmissions,
      (bytes) => socket.send(bytes, peer.port, peer.host),
      () => socket.close(),
    );
    socket.on('message', (bytes, { address, port }) => {
      peer = { host: address, port };
      uas.#receive(bytes);
    });
    return uas;
  }

  static async openTcp(): Promise<SipCallee> {
    let connection: Socket | null = null;
    const server = createServer((socket) => {
      connection = socket;
      const framer = new StreamFramer();
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        for (const event of framer.push(chunk)) if (event.type === 'message') uas.#receive(event.bytes);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const uas = new SipCallee(
      { host: '127.0.0.1', port },
      'answered',
      (bytes) => connection?.write(bytes),
      () => {
        connection?.destroy();
        server.close();
      },
    );
    return uas;
  }

  methods(): string[] {
    return this.requests.map(({ method }) => method);
  }

  respond(
    request: SipRequest,
    status: number,
    reason: string,
    sdp: string | null = null,
    more: readonly SipHeader[] = [],
  ): void {
    const options = {
      reason,
      tag: 'uas',
      headers: [...(more.some(({ name }) => name === 'Contact') ? [] : [this.#contact()]), ...more],
      ...(sdp !== null && { sdp }),
    };
    const response = responseTo(request, status, options);
    this.#lastResponses.set(transactionOf(request), response);
    this.#send(response);
  }

  /** Sends a request inside the dialog that `invite` created. */
  request(invite: SipRequest, method: string, more: readonly SipHeader[] = [], body = ''): void {
    // An ACK has the CSeq number of its INVITE (RFC 3261 §13.2.2.4).
    if (method !== 'ACK') this.#sentRequests++;
    const headers: SipHeader[] = [
      {
        name: 'Via',
        value: `SIP/2.0/UDP ${hostPortOf(this.hop)};branch=z9hG4bK${method}${this.#sentRequests}`,
      },
      { name: 'Max-Forwards', value: '70' },
      { name: 'From', value: `${getHeader(invite.headers, 'To')};tag=uas` },
      { name: 'To', value: getHeader(invite.headers, 'From') ?? '' },
      { name: 'Call-ID', value: getHeader(invite.headers, 'Call-ID') ?? '' },
      { name: 'CSeq', value: `${6 + this.#sentRequests} ${method}` },
      ...more,
    ];
    this.#send({ kind: 'request', method, uri: 'sip:caller@127.0.0.1', headers, body: new TextEncoder().encode(body) });
  }

  close(): void {
    this.#end();
  }

  #receive(bytes: Uint8Array): void {
    const parsed = parseMessage(bytes);
    if (!parsed.ok) throw new Error(parsed.fault);
    const { message } = parsed;
    if (message.kind === 'response') this.responses.push(message.status);
    else if (!this.#isRepeated(message)) {
      this.requests.push(message);
      this.onRequest(message);
    }
  }

  #isRepeated(request: SipRequest): boolean {
    if (this.#retransmissions === 'each') return false;
    const transaction = transactionOf(request);
    const answer = this.#lastResponses.get(transaction);
    if (answer === undefined) this.#lastResponses.set(transaction, null);
    else if (answer !== null) this.#send(answer);
    return answer !== undefined;
  }

  #contact(): SipHeader {
    return { name: 'Contact', value: `<sip:uas@${hostPortOf(this.hop)}>` };
  }

  #send(message: SipMessage): void {
    this.#sendBytes(serializeMessage(message));
  }
}

/** Branch and method, since the ACK to a refusal has the branch of its INVITE. */
function transactionOf({ headers, method }: SipRequest): string {
  const vias = parseVias(headers);
  return `${vias === null ? '' : branchOf(vias[0])} ${method}`;
}
