export const SDP = `v=0
o=sipp 1 1 IN IP[local_ip_type] [local_ip]
s=-
c=IN IP[media_ip_type] [media_ip]
t=0 0
m=audio [media_port] RTP/AVP 0 101
a=rtpmap:0 PCMU/8000
a=rtpmap:101 telephone-event/8000
a=ptime:20`;

/** A request of a scenario. `to`: parameters after the address in To. */
export function request(line: string, cseq: string, to: string, extra: string, body: string): string {
  return `<![CDATA[
${line}
Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
From: <sip:+33123456789@[local_ip]:[local_port]>;tag=[pid]s[call_number]
To: <sip:+33987654321@[remote_ip]:[remote_port]>${to}
Call-ID: [call_id]
CSeq: ${cseq}
Contact: <sip:sipp@[local_ip]:[local_port];transport=[transport]>
Max-Forwards: 70
${extra}Content-Length: [len]

${body}]]>`;
}

/** The INVITE of a staged call. `headers`: further header lines. `sdp`: '' for none. */
export function invite(headers = '', sdp = SDP): string {
  const type = sdp === '' ? '' : 'Content-Type: application/sdp\n';
  const extra = `X-Service-Call-Id: [field0]\n${headers}${type}`;
  const line = 'INVITE sip:+33987654321@[remote_ip]:[remote_port] SIP/2.0';
  return `<send retrans="500">${request(line, '1 INVITE', '', extra, sdp)}</send>`;
}
