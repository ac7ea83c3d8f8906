import { invite, request, SDP } from './sipp-messages.ts';

const TYPE = 'Content-Type: application/sdp\n';
const PROGRESS = '<recv response="100" optional="true"/>\n<recv response="180" optional="true"/>';

/** Scenarios of offers, answers and dialogs, one call each. `holdMs`: the length of its pauses. */
export const DIALOG_SCENARIOS = {
  /** Offer in the 200, answer in the ACK (RFC 3264 §4). */
  late_offer: (holdMs: number) =>
    scenario(invite('', ''), PROGRESS, expecting('a=sendrecv', 'rrs="true"'), ack(1, SDP), pause(holdMs), bye(2)),
  /** The ACK to our late offer has no answer, so the service ends the call. */
  no_answer: () =>
    scenario(
      invite('', ''),
      PROGRESS,
      '<recv response="200" rrs="true"/>',
      ack(1, ''),
      '<recv request="BYE"/>',
      `<send><![CDATA[
SIP/2.0 200 OK
[last_Via:]
[last_From:]
[last_To:]
[last_Call-ID:]
[last_CSeq:]
Content-Length: 0

]]></send>`,
    ),
  /** Hold in each form, resume with and without an offer, and a video line that is refused in place. */
  hold: (holdMs: number) =>
    scenario(
      invite(),
      PROGRESS,
      '<recv response="200" rrs="true"/>',
      ack(1, ''),
      reinvite(2, `${SDP}\na=sendonly`, 'a=recvonly'),
      pause(holdMs),
      reinvite(3, `${SDP}\na=inactive`, 'a=inactive'),
      reinvite(4, SDP.replace('c=IN IP[media_ip_type] [media_ip]', 'c=IN IP4 0.0.0.0'), 'a=recvonly'),
      pause(holdMs),
      reinvite(5, `${SDP}\nm=video 40000 RTP/AVP 96\na=rtpmap:96 H264/90000`, 'm=video 0'),
      reinvite(6, `${SDP}\na=sendonly\nm=video 0 RTP/AVP 96`, 'a=recvonly'),
      reinvite(7, '', 'a=sendrecv'),
      pause(holdMs),
      bye(8),
    ),
  /** The caller requires reliable provisional responses (RFC 3262). */
  reliable: (holdMs: number) =>
    scenario(
      invite('Require: 100rel\n'),
      '<recv response="100" optional="true"/>',
      `<recv response="180" rrs="true">
<action><ereg regexp="[0-9]+" search_in="hdr" header="RSeq:" check_it="true" assign_to="1"/></action>
</recv>`,
      // The agent answers at once: its 200 overtakes the PRACK, which is still accepted.
      '<recv response="200" rrs="true"/>',
      send(request('PRACK [next_url] SIP/2.0', '2 PRACK', '[peer_tag_param]', 'RAck: [$1] 1 INVITE\n', '')),
      '<recv response="200"/>',
      ack(1, ''),
      pause(holdMs),
      bye(3),
    ),
  /** The caller refreshes its session by UPDATE and by re-INVITE (RFC 4028). */
  session: (holdMs: number) =>
    scenario(
      invite('Supported: timer\nSession-Expires: 600;refresher=uac\n'),
      PROGRESS,
      expecting('600;refresher=uac', 'rrs="true"'),
      ack(1, ''),
      send(
        request(
          'UPDATE [next_url] SIP/2.0',
          '2 UPDATE',
          '[peer_tag_param]',
          'Supported: timer\nSession-Expires: 600;refresher=uac\n',
          '',
        ),
      ),
      expecting('600;refresher=uac'),
      pause(holdMs),
      bye(3),
    ),
};

function scenario(...steps: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<scenario name="staged call">
${steps.join('\n')}
</scenario>`;
}

function send(message: string): string {
  return `<send retrans="500">${message}</send>`;
}

/** Expects a 200 that contains this text. */
function expecting(text: string, attributes = ''): string {
  return `<recv response="200" ${attributes}>
<action><ereg regexp="${text}" search_in="msg" check_it="true" assign_to="9"/><log message="[$9]"/></action>
</recv>`;
}

function ack(cseq: number, sdp: string): string {
  return `<send>${request('ACK [next_url] SIP/2.0', `${cseq} ACK`, '[peer_tag_param]', sdp === '' ? '' : TYPE, sdp)}</send>`;
}

/** A re-INVITE. Without SDP, its ACK carries the answer. */
function reinvite(cseq: number, sdp: string, expected: string): string {
  const extra = sdp === '' ? '' : TYPE;
  return [
    send(request('INVITE [next_url] SIP/2.0', `${cseq} INVITE`, '[peer_tag_param]', extra, sdp)),
    '<recv response="100" optional="true"/>',
    expecting(expected),
    ack(cseq, sdp === '' ? SDP : ''),
  ].join('\n');
}

function pause(ms: number): string {
  return `<pause milliseconds="${ms}"/>`;
}

function bye(cseq: number): string {
  return [
    send(request('BYE [next_url] SIP/2.0', `${cseq} BYE`, '[peer_tag_param]', '', '')),
    '<recv response="200"/>',
  ].join('\n');
}
