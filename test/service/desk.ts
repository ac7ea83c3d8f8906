import type { SipRequest } from '../../sip/message/sip-message.ts';
import type { TalkingRtpPeer } from '../rtp-peer/talking-rtp-peer.ts';
import type { SipCallee } from '../sip-endpoint/sip-callee.ts';

/** What a desk that calls are handed over to does with an INVITE and an ACK; it takes every end. */
export function deskDoes(desk: SipCallee, onInvite: (invite: SipRequest) => void, onAck = () => {}): void {
  desk.onRequest = (request) => {
    if (request.method === 'INVITE') onInvite(request);
    else if (request.method === 'ACK') onAck();
    else desk.respond(request, 200, 'OK');
    if (request.method === 'CANCEL') desk.respond(inviteTo(desk), 487, 'Request Terminated');
  };
}

/** The desk rings for so long and answers; it speaks from the ACK on. */
export function deskAnswers(
  desk: SipCallee,
  rtp: TalkingRtpPeer,
  says: Int16Array,
  { codec = 'pcmu', ringMs = 0 }: { readonly codec?: 'pcmu' | 'pcma'; readonly ringMs?: number },
): void {
  deskDoes(
    desk,
    (invite) => {
      const offer = Buffer.from(invite.body).toString();
      rtp.take(codec === 'pcma' ? offer.replace('RTP/AVP 0 8', 'RTP/AVP 8 0') : offer);
      desk.respond(invite, 180, 'Ringing');
      setTimeout(() => desk.respond(invite, 200, 'OK', rtp.offer([codec])), ringMs);
    },
    () => rtp.start(says, () => {}),
  );
}

/** The first INVITE that has come to the desk. */
export function inviteTo(desk: SipCallee): SipRequest {
  const invite = desk.requests.find(({ method }) => method === 'INVITE');
  if (invite === undefined) throw new Error('the desk is not called');
  return invite;
}
