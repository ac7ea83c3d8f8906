import { randomBytes } from 'node:crypto';
import { getHeader } from '../../sip/message/headers.ts';
import { serializeMessage } from '../../sip/message/serialize-message.ts';
import type { SipHeader, SipRequest, SipResponse } from '../../sip/message/sip-message.ts';
import { BRANCH_COOKIE, branchOf, parseVias } from '../../sip/message/via.ts';
import type { SipLadder } from './sip-ladder.ts';
import { type Hop, hostPortOf, type SipTransport } from './sip-transport.ts';

/** RFC 3261 §17.1.1.1. */
const T1_MS = 500;
const T2_MS = 4000;
/** Timers B and F: 64·T1. */
const TIMEOUT_MS = 64 * T1_MS;

interface RunningTransaction {
  readonly request: SipRequest;
  readonly to: Hop;
  readonly onResponse: (response: SipResponse) => void;
  readonly onTimeout: () => void;
  retransmission: NodeJS.Timeout | null;
  timeout: NodeJS.Timeout | null;
  finalSeen: boolean;
}

export function makeBranch(): string {
  return `${BRANCH_COOKIE}${randomBytes(8).toString('hex')}`;
}

/**
 * The caller's client transactions (RFC 3261 §17.1). Retransmits requests over UDP, times out after 32 s, and sends the ACK
 * to a refusal. Reports each 2xx, since its ACK belongs to the dialog.
 */
export class ClientTransactions {
  readonly #transport: SipTransport;
  readonly #ladder: SipLadder;
  readonly #running = new Map<string, RunningTransaction>();

  constructor(transport: SipTransport, ladder: SipLadder) {
    this.#transport = transport;
    this.#ladder = ladder;
  }

  /** Adds the Via, sends the request, and waits for its responses. */
  start(
    request: SipRequest,
    branch: string,
    to: Hop,
    onResponse: (response: SipResponse) => void,
    onTimeout: () => void,
  ): void {
    const requestWithVia = this.#withVia(request, branch);
    const entry: RunningTransaction = {
      request: requestWithVia,
      to,
      onResponse,
      onTimeout,
      retransmission: null,
      timeout: null,
      finalSeen: false,
    };
    this.#running.set(`${branch} ${request.method}`, entry);
    this.#transmit(requestWithVia, to);
    if (this.#transport.protocol === 'UDP') this.#repeat(entry, T1_MS);
    entry.timeout = setTimeout(() => {
      stop(entry);
      onTimeout();
    }, TIMEOUT_MS);
  }

  /** Sends an ACK once, without a transaction. */
  sendOnce(request: SipRequest, branch: string, to: Hop): void {
    this.#transmit(this.#withVia(request, branch), to);
  }

  receive(response: SipResponse): void {
    const vias = parseVias(response.headers);
    const method = getHeader(response.headers, 'CSeq')?.split(/\s+/)[1];
    const branch = vias === null ? null : branchOf(vias[0]);
    const entry = this.#running.get(`${branch} ${method}`);
    if (entry === undefined || branch === null) return;
    const invite = entry.request.method === 'INVITE';
    if (invite || response.status >= 200) stop(entry);
    const isRepeated = entry.finalSeen;
    if (response.status >= 200) entry.finalSeen = true;
    if (invite && response.status >= 300) this.#acknowledgeRefusal(entry, response, branch);
    if (!isRepeated || (invite && response.status < 300)) entry.onResponse(response);
  }

  close(): void {
    for (const entry of this.#running.values()) stop(entry);
    this.#running.clear();
  }

  #repeat(entry: RunningTransaction, afterMs: number): void {
    entry.retransmission = setTimeout(() => {
      this.#transmit(entry.request, entry.to);
      // Timer A doubles without a limit, timer E up to T2.
      this.#repeat(entry, entry.request.method === 'INVITE' ? afterMs * 2 : Math.min(afterMs * 2, T2_MS));
    }, afterMs);
  }

  #acknowledgeRefusal(entry: RunningTransaction, response: SipResponse, branch: string): void {
    const copiedHeaders = ['From', 'Call-ID', 'Max-Forwards', 'Route'];
    const headers = entry.request.headers.filter(({ name }) => copiedHeaders.includes(name));
    const cseq = getHeader(entry.request.headers, 'CSeq')?.split(' ')[0] ?? '1';
    headers.push({ name: 'To', value: getHeader(response.headers, 'To') ?? '' });
    headers.push({ name: 'CSeq', value: `${cseq} ACK` });
    const { uri } = entry.request;
    this.sendOnce({ kind: 'request', method: 'ACK', uri, headers, body: new Uint8Array(0) }, branch, entry.to);
  }

  #withVia(request: SipRequest, branch: string): SipRequest {
    const { protocol, local } = this.#transport;
    const via: SipHeader = {
      name: 'Via',
      value: `SIP/2.0/${protocol} ${hostPortOf(local)};branch=${branch};rport`,
    };
    return { ...request, headers: [via, ...request.headers] };
  }

  #transmit(request: SipRequest, to: Hop): void {
    this.#ladder.sent(request);
    this.#transport.send(serializeMessage(request), to);
  }
}

function stop(entry: RunningTransaction): void {
  if (entry.retransmission !== null) clearTimeout(entry.retransmission);
  if (entry.timeout !== null) clearTimeout(entry.timeout);
  entry.retransmission = null;
  entry.timeout = null;
}
