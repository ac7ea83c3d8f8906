import { randomBytes } from 'node:crypto';
import { isIP, isIPv6 } from 'node:net';
import { getHeader, getHeaderLines } from '../../sip/message/headers.ts';
import { parseAddressList, parseNameAddress, tagOf } from '../../sip/message/name-address.ts';
import { serializeMessage } from '../../sip/message/serialize-message.ts';
import type { SipHeader, SipMessage, SipRequest, SipResponse } from '../../sip/message/sip-message.ts';
import { parseUri } from '../../sip/message/uri.ts';
import { ClientTransactions, makeBranch } from './client-transactions.ts';
import { responseTo } from './response-to.ts';
import { SipLadder } from './sip-ladder.ts';
import { type Hop, hostPortOf, openSipTransport, type SipTransport } from './sip-transport.ts';

export interface SipCallerOptions {
  readonly target: Hop;
  readonly protocol: 'UDP' | 'TCP';
  readonly localAddress: string;
  /** User parts. */
  readonly to: string;
  readonly from: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Our SDP: the offer, and the answer to a re-INVITE. */
  readonly sdp: string;
  /** The INVITE has no SDP: the callee offers in its 200, and the ACK carries our answer. */
  readonly lateOffer?: boolean;
}

export interface SipCallerEvents {
  readonly onProvisional: (status: number, sdp: string | null) => void;
  readonly onAnswered: (sdp: string) => void;
  /** Called at most once, as the last callback. `status`: the final response that ended the call. */
  readonly onEnded: (by: EndedBy, status: number | null) => void;
}

export type EndedBy = 'caller' | 'callee' | 'refused' | 'cancelled' | 'timeout' | 'fault';

interface Dialog {
  readonly remoteTarget: string;
  readonly to: string;
  readonly routes: readonly string[];
  readonly hop: Hop;
}

const ALLOW = 'INVITE, ACK, CANCEL, BYE, OPTIONS';
const NO_BODY = new Uint8Array(0);

/** The signalling of one outbound call (RFC 3261), INVITE to BYE or CANCEL, for tests and the demo. */
export class SipCaller {
  readonly sipCallId = `${randomBytes(8).toString('hex')}@caller`;
  readonly ladder = new SipLadder();
  /** The statuses of all responses to the INVITE, in order. */
  readonly statuses: number[] = [];
  readonly #options: SipCallerOptions;
  readonly #events: SipCallerEvents;
  readonly #inviteBranch = makeBranch();
  readonly #from: string;
  #transport: SipTransport | null = null;
  #transactions: ClientTransactions | null = null;
  #dialog: Dialog | null = null;
  #cseq = 1;
  #isCancelled = false;
  #cancelSent = false;
  #byeSent = false;
  #ended = false;

  constructor(options: SipCallerOptions, events: SipCallerEvents) {
    this.#options = options;
    this.#events = events;
    const host = isIPv6(options.localAddress) ? `[${options.localAddress}]` : options.localAddress;
    this.#from = `<sip:${options.from}@${host}>;tag=${randomBytes(4).toString('hex')}`;
  }

  async invite(): Promise<void> {
    const { target, protocol, localAddress, headers, lateOffer = false } = this.#options;
    this.#transport = await openSipTransport(
      protocol,
      localAddress,
      target,
      (message) => this.#receive(message),
      (fault) => this.ladder.note(fault),
    );
    this.#transactions = new ClientTransactions(this.#transport, this.ladder);
    const custom = Object.entries(headers).map(([name, value]) => ({ name, value }));
    const request = this.#request('INVITE', this.#requestUri(), this.#toHeader(), [
      this.#contact(),
      { name: 'Allow', value: ALLOW },
      ...custom,
    ]);
    this.#transactions.start(
      lateOffer ? request : this.#withSdp(request),
      this.#inviteBranch,
      target,
      (response) => this.#onInviteResponse(response),
      () => this.#end('timeout', null),
    );
  }

  /** Sends CANCEL after a provisional response, or BYE if the answer came first. */
  cancel(): void {
    this.#isCancelled = true;
    if (this.#dialog !== null) this.bye();
    else if (this.statuses.length > 0) this.#sendCancel();
  }

  /** Sends BYE in the dialog, if there is one. */
  bye(): void {
    const dialog = this.#dialog;
    const transactions = this.#transactions;
    if (dialog === null || transactions === null || this.#byeSent || this.#ended) return;
    this.#byeSent = true;
    this.#cseq++;
    const request = this.#request('BYE', dialog.remoteTarget, dialog.to, routeHeaders(dialog));
    const by = this.#isCancelled ? 'cancelled' : 'caller';
    transactions.start(
      request,
      makeBranch(),
      dialog.hop,
      (response) => {
        if (response.status >= 200) this.#end(by, null);
      },
      () => this.#end('timeout', null),
    );
  }

  /** Sends a DTMF digit in a SIP INFO (`application/dtmf-relay`), if there is a dialog. */
  sendInfoDtmf(digit: string): void {
    const dialog = this.#dialog;
    const transactions = this.#transactions;
    if (dialog === null || transactions === null || this.#byeSent || this.#ended) return;
    this.#cseq++;
    const type = { name: 'Content-Type', value: 'application/dtmf-relay' };
    const request = this.#request('INFO', dialog.remoteTarget, dialog.to, [...routeHeaders(dialog), type]);
    const body = new TextEncoder().encode(`Signal=${digit}\r\nDuration=100\r\n`);
    const ignore = () => undefined;
    transactions.start({ ...request, body }, makeBranch(), dialog.hop, ignore, ignore);
  }

  async close(): Promise<void> {
    this.#ended = true;
    this.#transactions?.close();
    await this.#transport?.close();
  }

  #receive(message: SipMessage): void {
    this.ladder.received(message);
    if (message.kind === 'response') this.#transactions?.receive(message);
    else this.#onRequest(message);
  }

  #onInviteResponse(response: SipResponse): void {
    const { status } = response;
    // A repeated provisional answers a retransmission of the INVITE: how many there are depends on the load of the machine.
    if (status >= 200 || status !== this.statuses.at(-1)) this.statuses.push(status);
    if (status < 200) {
      if (this.#isCancelled) this.#sendCancel();
      this.#events.onProvisional(status, sdpOf(response));
      return;
    }
    if (status >= 300) {
      this.#end(this.#isCancelled && status === 487 ? 'cancelled' : 'refused', status);
      return;
    }
    const isRepeated = this.#dialog !== null;
    this.#dialog ??= this.#dialogOf(response);
    if (this.#dialog === null) {
      this.#end('fault', status);
      return;
    }
    this.#acknowledge(this.#dialog);
    if (isRepeated) return;
    if (this.#isCancelled) this.bye();
    else this.#events.onAnswered(sdpOf(response) ?? '');
  }

  #acknowledge(dialog: Dialog): void {
    const request = this.#request('ACK', dialog.remoteTarget, dialog.to, routeHeaders(dialog));
    const headers = request.headers.map((header) => (header.name === 'CSeq' ? { ...header, value: '1 ACK' } : header));
    const ack = { ...request, headers };
    const described = this.#options.lateOffer ? this.#withSdp(ack) : ack;
    this.#transactions?.sendOnce(described, makeBranch(), dialog.hop);
  }

  #withSdp(request: SipRequest): SipRequest {
    const headers = [...request.headers, { name: 'Content-Type', value: 'application/sdp' }];
    return { ...request, headers, body: new TextEncoder().encode(this.#options.sdp) };
  }

  #sendCancel(): void {
    if (this.#cancelSent || this.#dialog !== null || this.#ended) return;
    this.#cancelSent = true;
    const request = this.#request('CANCEL', this.#requestUri(), this.#toHeader(), []);
    const ignore = () => undefined;
    // The final response to the INVITE ends the call.
    this.#transactions?.start(request, this.#inviteBranch, this.#options.target, ignore, ignore);
  }

  #onRequest(request: SipRequest): void {
    const isOurCall = getHeader(request.headers, 'Call-ID') === this.sipCallId;
    switch (request.method) {
      case 'ACK':
        return;
      case 'BYE':
        this.#respond(request, isOurCall ? 200 : 481, isOurCall ? 'OK' : 'Call/Transaction Does Not Exist');
        if (isOurCall) this.#end('callee', null);
        return;
      case 'INVITE':
        this.#respond(request, 200, 'OK', this.#options.sdp);
        return;
      case 'OPTIONS':
        this.#respond(request, 200, 'OK');
        return;
      default:
        this.#respond(request, 405, 'Method Not Allowed');
    }
  }

  #respond(request: SipRequest, status: number, reason: string, sdp: string | null = null): void {
    const routes = getHeaderLines(request.headers, 'Record-Route').map((value) => ({ name: 'Record-Route', value }));
    const headers = [...routes, this.#contact(), { name: 'Allow', value: ALLOW }];
    const response = responseTo(request, status, { reason, headers, ...(sdp !== null && { sdp }) });
    this.ladder.sent(response);
    this.#transport?.send(serializeMessage(response), this.#dialog?.hop ?? this.#options.target);
  }

  #request(method: string, uri: string, to: string, more: readonly SipHeader[]): SipRequest {
    const headers = [
      { name: 'Max-Forwards', value: '70' },
      { name: 'From', value: this.#from },
      { name: 'To', value: to },
      { name: 'Call-ID', value: this.sipCallId },
      { name: 'CSeq', value: `${this.#cseq} ${method}` },
      ...more,
    ];
    return { kind: 'request', method, uri, headers, body: NO_BODY };
  }

  #dialogOf(response: SipResponse): Dialog | null {
    const contact = parseNameAddress(getHeader(response.headers, 'Contact') ?? '');
    const routes = parseAddressList(response.headers, 'Record-Route');
    const to = getHeader(response.headers, 'To') ?? '';
    if (contact === null || routes === null || tagOf(to) === null) return null;
    const set = routes.map(({ uri }) => uri).reverse();
    return { remoteTarget: contact.uri, to, routes: set, hop: hopOf(set[0] ?? contact.uri) ?? this.#options.target };
  }

  #requestUri(): string {
    const { to, target, protocol } = this.#options;
    return `sip:${to}@${hostPortOf(target)}${protocol === 'TCP' ? ';transport=tcp' : ''}`;
  }

  #toHeader(): string {
    return `<sip:${this.#options.to}@${hostPortOf(this.#options.target)}>`;
  }

  #contact(): SipHeader {
    const local = this.#transport?.local ?? this.#options.target;
    const transport = this.#options.protocol === 'TCP' ? ';transport=tcp' : '';
    return { name: 'Contact', value: `<sip:${this.#options.from}@${hostPortOf(local)}${transport}>` };
  }

  #end(by: EndedBy, status: number | null): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#events.onEnded(by, status);
  }
}

function routeHeaders(dialog: Dialog): SipHeader[] {
  return dialog.routes.map((uri) => ({ name: 'Route', value: `<${uri}>` }));
}

/** The hop of a URI with an address as host; names are not resolved. */
function hopOf(uri: string): Hop | null {
  const parsed = parseUri(uri);
  if (parsed === null || parsed.scheme === 'tel') return null;
  const host = parsed.host.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? null : { host, port: parsed.port ?? 5060 };
}

function sdpOf(message: SipMessage): string | null {
  return message.body.length === 0 ? null : new TextDecoder().decode(message.body);
}
