import { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import type { SipMessage, SipRequest, SipResponse } from '../../../sip/message/sip-message.ts';
import { TransactionTable } from '../../../sip/transaction/transaction-table.ts';
import type { Hops, Origin } from '../../../sip/transport/transport-address.ts';

export const UDP: Hops = [{ transport: 'udp', address: '192.0.2.1', port: 5060 }];
export const TCP: Hops = [{ transport: 'tcp', address: '192.0.2.1', port: 5060 }];

export const ORIGIN: Origin = { ...UDP[0], localAddress: '192.0.2.9', localPort: 5060 };

const NO_BODY = new Uint8Array(0);

export function request(
  method: string,
  changes: { branch?: string; sentBy?: string; toTag?: string; cseq?: number } = {},
): SipRequest {
  const { branch = 'z9hG4bKone', sentBy = '192.0.2.9:5060', toTag, cseq = 1 } = changes;
  return {
    kind: 'request',
    method,
    uri: 'sip:agent@192.0.2.1',
    headers: [
      { name: 'Via', value: `SIP/2.0/UDP ${sentBy};branch=${branch}` },
      { name: 'From', value: '<sip:a@example.com>;tag=from' },
      { name: 'To', value: `<sip:b@example.com>${toTag === undefined ? '' : `;tag=${toTag}`}` },
      { name: 'Call-ID', value: 'call' },
      { name: 'CSeq', value: `${cseq} ${method}` },
    ],
    body: NO_BODY,
  };
}

export function response(to: SipRequest, status: number): SipResponse {
  const headers = to.headers.map(({ name, value }) => ({ name, value: name === 'To' ? `${value};tag=to` : value }));
  return { kind: 'response', status, reason: 'Test', headers, body: NO_BODY };
}

/** A transaction table on simulated time. `wire` lists the sent messages and their times. */
export class TransactionRig {
  readonly clock = new SimulatedClock();
  readonly wire: { readonly at: number; readonly message: SipMessage }[] = [];
  readonly delivered: number[] = [];
  readonly failures: string[] = [];
  /** Reports a transport failure of the last message. */
  failLast: () => void = () => undefined;
  readonly table: TransactionTable;
  #ids = 0;

  constructor(transactionsMax = 100) {
    this.table = new TransactionTable({
      clock: this.clock,
      transactionsMax,
      newId: () => {
        this.#ids += 1;
        return `id-${this.#ids}`;
      },
      send: (_hops, message, onFailed) => {
        this.wire.push({ at: this.clock.nowMs(), message });
        this.failLast = () => onFailed('connection refused');
      },
    });
  }

  client(method: string, hops: Hops) {
    return this.table.createClient(request(method), hops, {
      onResponse: ({ status }) => this.delivered.push(status),
      onFailed: (cause) => this.failures.push(cause),
    });
  }

  server(method: string, hops: Hops) {
    return this.table.createServer(request(method), hops, {
      onFailed: (cause) => this.failures.push(cause),
      onEnded: () => undefined,
    });
  }

  /** The times at which requests of a method, or responses of a status, were sent. */
  times(methodOrStatus: string | number): number[] {
    return this.wire
      .filter(({ message }) => (message.kind === 'request' ? message.method : message.status) === methodOrStatus)
      .map(({ at }) => at);
  }

  /** Neither a transaction nor a timer exists. */
  get isEmpty(): boolean {
    return this.table.size === 0 && this.clock.pending === 0;
  }
}
