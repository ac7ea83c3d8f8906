import { TalkingRtpPeer } from '../../rtp-peer/talking-rtp-peer.ts';
import { SipCallee } from '../../sip-endpoint/sip-callee.ts';
import type { Hop } from '../../sip-endpoint/sip-transport.ts';

/** A callee that rings, answers, plays its audio and waits for the BYE. */
export interface AnsweringCallee {
  readonly hop: Hop;
  /** The methods of the received requests. */
  methods(): readonly string[];
  close(): void;
}

export async function openCallee(audio: Int16Array, ringMs: number): Promise<AnsweringCallee> {
  const uas = await SipCallee.open();
  const rtp = await TalkingRtpPeer.open('127.0.0.1');
  let timer: NodeJS.Timeout | undefined;
  uas.onRequest = (request) => {
    if (request.method === 'INVITE') {
      rtp.take(Buffer.from(request.body).toString());
      uas.respond(request, 180, 'Ringing');
      timer = setTimeout(() => uas.respond(request, 200, 'OK', rtp.offer(['pcmu'])), ringMs);
    } else if (request.method === 'ACK') rtp.start(audio, () => {}, 'peer');
    else uas.respond(request, 200, 'OK');
  };
  return {
    hop: uas.hop,
    methods: () => uas.methods(),
    close: () => {
      clearTimeout(timer);
      rtp.close();
      uas.close();
    },
  };
}
