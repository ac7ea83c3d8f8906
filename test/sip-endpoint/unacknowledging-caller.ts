import { getHeader } from '../../sip/message/headers.ts';
import type { SipResponse } from '../../sip/message/sip-message.ts';
import { TalkingRtpPeer } from '../rtp-peer/talking-rtp-peer.ts';
import { SipPeer, textOf } from './sip-peer.ts';
import type { Hop } from './sip-transport.ts';

/** A caller that sends its ACK only when `acknowledge` is called. */
export interface UnacknowledgingCaller {
  readonly sipCallId: string;
  /** The statuses of the responses to the INVITE. */
  readonly statuses: readonly number[];
  /** The methods of the received requests, each answered with 200. */
  readonly methods: readonly string[];
  /** The RTP peer of its offer; silent until `start`. */
  readonly rtp: TalkingRtpPeer;
  /** Sends the ACK, after the 200. */
  acknowledge(): void;
  close(): void;
}

export async function callWithoutAck(
  target: Hop,
  to: string,
  headers: Readonly<Record<string, string>>,
): Promise<UnacknowledgingCaller> {
  const peer = await SipPeer.open(target);
  const rtp = await TalkingRtpPeer.open('127.0.0.1');
  const statuses: number[] = [];
  const methods: string[] = [];
  let ok: SipResponse | null = null;
  peer.onMessage = (message) => {
    if (message.kind === 'request') {
      methods.push(message.method);
      peer.send(peer.answer(message, 200));
      return;
    }
    statuses.push(message.status);
    if (message.status !== 200 || ok !== null) return;
    ok = message;
    rtp.take(textOf(message));
  };
  const extra = Object.entries(headers).map(([name, value]) => ({ name, value }));
  const invite = peer.invite(to, rtp.offer(['pcmu']), extra);
  peer.send(invite);
  return {
    sipCallId: getHeader(invite.headers, 'Call-ID') ?? '',
    statuses,
    methods,
    rtp,
    acknowledge: () => {
      if (ok !== null) peer.send(peer.inDialog(invite, ok, 'ACK', 1));
    },
    close: () => {
      rtp.close();
      void peer.close();
    },
  };
}
