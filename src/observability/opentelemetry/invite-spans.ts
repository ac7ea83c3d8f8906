import type { TracedLeg } from '../traces/sip-traces.ts';
import type { TraceSpan } from './trace-span.ts';

/** Bytes of a message in which its start line and CSeq are looked for. */
const HEAD_BYTES = 4096;
const RESPONSE = /^SIP\/2\.0 (\d{3})/;
const OF_INVITE = /^CSeq[ \t]*:[ \t]*\d+[ \t]+INVITE/im;

/** The INVITE of a leg, up to its final response, or to the last message that was seen of it. */
export interface InviteExchange {
  readonly leg: string;
  readonly isInbound: boolean;
  readonly transport: string;
  readonly fromUs: number;
  readonly toUs: number;
  /** Null: no final response was seen. */
  readonly status: number | null;
}

/** One for each leg with an INVITE. An INVITE that is sent again with credentials is a part of the first. */
export function inviteExchanges(legs: readonly TracedLeg[]): readonly InviteExchange[] {
  return legs.flatMap(({ entries, name }) => {
    const first = entries.find(({ bytes }) => textOf(bytes).startsWith('INVITE '));
    if (first === undefined) return [];
    const responses = entries.flatMap(({ at, bytes, direction }) => {
      const text = textOf(bytes);
      const status = Number(RESPONSE.exec(text)?.[1] ?? 0);
      return direction !== first.direction && status > 0 && OF_INVITE.test(text) ? [{ at, status }] : [];
    });
    const final = responses.find(({ status }) => status >= 200 && status !== 401 && status !== 407);
    const last = final ?? responses.at(-1);
    return {
      leg: name,
      isInbound: first.direction === 'received',
      transport: first.transport,
      fromUs: Math.round(first.at * 1000),
      toUs: Math.round((last?.at ?? first.at) * 1000),
      status: final?.status ?? null,
    };
  });
}

export function inviteSpan(exchange: InviteExchange, ids: Pick<TraceSpan, 'spanId' | 'parentId'>): TraceSpan {
  const { fromUs, isInbound, leg, status, toUs, transport } = exchange;
  return {
    ...ids,
    name: 'INVITE',
    kind: isInbound ? 'server' : 'client',
    fromUs,
    toUs,
    attributes: {
      'network.protocol.name': 'sip',
      'network.transport': transport,
      'trunkline.leg': leg,
      ...(status !== null && { 'trunkline.sip.status_code': status }),
    },
    events: [],
    error: status !== null && status >= 400 ? String(status) : null,
  };
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, HEAD_BYTES)).toString('latin1');
}
