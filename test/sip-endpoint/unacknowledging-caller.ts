import { randomBytes } from 'node:crypto';
import { getHeader, getHeaderLines } from '../../sip/message/headers.ts';
import { parseMessage } from '../../sip/message/parse-message.ts';
import { serializeMessage } from '../../sip/message/serialize-message.ts';
import type { SipRequest } from '../../sip/message/sip-message.ts';
import { TalkingRtpPeer } from '../rtp-peer/talking-rtp-peer.ts';
import { bindUdp } from '../udp-port.ts';
import type { Hop } from './sip-transport.ts';

/** A caller whose ACK is lost, each time until `acknowledge`: the 200 is all that the two have in common. */
export interface UnacknowledgingCaller {
  readonly sipCallId: string;
  /** Of the responses to the INVITE. */
  readonly statuses: readonly number[];
  /** Of the requests that came; each was answered with 200. */
  readonly methods: readonly string[];
  /** Where its offer says that it is; it sends nothing until told to. */
  readonly rtp: TalkingRtpPeer;
  /** From the 200 on. */
  acknowledge(): void;
  close(): void;
}

export async function callWithoutAck(
  target: Hop,
  to: string,
  headers: Readonly<Record<string, string>>,
): Promise<UnacknowledgingCaller> {
  const socket = await bindUdp('127.0.0.1');
  const rtp = await TalkingRtpPeer.open('127.0.0.1');
  const statuses: number[] = [];
  const methods: string[] = [];
  const here = `127.0.0.1:${socket.address().port}`;
  const own = randomBytes(6).toString('hex');
  const via = (nth: number) => `SIP/2.0/UDP ${here};branch=z9hG4bK${own}${nth}`;
  let dialog = '';
  socket.on('message', (bytes, peer) => {
    const parsed = parseMessage(bytes);
    if (!parsed.ok) throw new Error(parsed.fault);
    const { message } = parsed;
    if (message.kind === 'response') {
      statuses.push(message.status);
      if (message.status === 200 && dialog === '') {
        dialog = getHeader(message.headers, 'To') ?? '';
        rtp.take(new TextDecoder().decode(message.body));
      }
      return;
    }
    methods.push(message.method);
    const copied = ['Via', 'From', 'To', 'Call-ID', 'CSeq'].flatMap((name) =>
      getHeaderLines(message.headers, name).map((value) => ({ name, value })),
    );
    const ok = { kind: 'response', status: 200, reason: 'OK', headers: copied, body: new Uint8Array(0) } as const;
    socket.send(serializeMessage(ok), peer.port, peer.address);
  });
  const invite: SipRequest = {
    kind: 'request',
    method: 'INVITE',
    uri: `sip:${to}@${target.host}:${target.port}`,
    headers: Object.entries({
      Via: via(0),
      'Max-Forwards': '70',
      From: `<sip:caller@${here}>;tag=${own}`,
      To: `<sip:${to}@${target.host}>`,
      'Call-ID': own,
      CSeq: '1 INVITE',
      Contact: `<sip:caller@${here}>`,
      'Content-Type': 'application/sdp',
      ...headers,
    }).map(([name, value]) => ({ name, value })),
    body: new TextEncoder().encode(rtp.offer(['pcmu'])),
  };
  socket.send(serializeMessage(invite), target.port, target.host);
  return {
    sipCallId: own,
    statuses,
    methods,
    rtp,
    acknowledge: () => {
      const changed: Readonly<Record<string, string>> = { Via: via(1), To: dialog, CSeq: '1 ACK' };
      const of = ['Via', 'Max-Forwards', 'From', 'To', 'Call-ID', 'CSeq'];
      const headers = invite.headers
        .filter(({ name }) => of.includes(name))
        .map(({ name, value }) => ({ name, value: changed[name] ?? value }));
      const ack: SipRequest = { ...invite, method: 'ACK', headers, body: new Uint8Array(0) };
      socket.send(serializeMessage(ack), target.port, target.host);
    },
    close: () => {
      rtp.close();
      socket.close();
    },
  };
}
