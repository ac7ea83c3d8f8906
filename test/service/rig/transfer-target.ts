import type { SipRequest } from '../../../sip/message/sip-message.ts';
import type { TalkingRtpPeer } from '../../rtp-peer/talking-rtp-peer.ts';
import type { SipCallee } from '../../sip-endpoint/sip-callee.ts';

/** Sets how a desk, the destination of transfers, handles INVITE and ACK. It accepts each BYE and CANCEL. */
export function deskDoes(desk: SipCallee, onInvite: (invite: SipRequest) => void, onAck = () => {}): void {
  desk.onRequest = (request) => {
    if (request.method === 'INVITE') onInvite(request);
    else if (request.method === 'ACK') onAck();
    else desk.respond(request, 200, 'OK');
    if (request.method === 'CANCEL') desk.respond(inviteTo(desk), 487, 'Request Terminated');
  };
}

/** Makes the desk ring for `ringMs`, answer, and speak from the ACK on. */
export function deskAnswers(
  desk: SipCallee,
  rtp: TalkingRtpPeer,
  speech: Int16Array,
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
    () => rtp.start(speech, () => {}),
  );
}

/** The first INVITE that the desk received. */
export function inviteTo(desk: SipCallee): SipRequest {
  const invite = desk.requests.find(({ method }) => method === 'INVITE');
  if (invite === undefined) throw new Error('the desk received no INVITE');
  return invite;
}
