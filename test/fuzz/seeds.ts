import { encodeRtcp } from '../../sip/rtp/rtcp/rtcp-packet.ts';
import { INVITE_LINES } from '../sip/message/sample-messages.ts';

// Valid inputs that the fuzzer changes: nearly valid inputs find more faults than random bytes.

const encoder = new TextEncoder();

function message(lines: readonly string[], body = ''): Uint8Array {
  return encoder.encode(`${[...lines, `Content-Length: ${body.length}`].join('\r\n')}\r\n\r\n${body}`);
}

export const SDP_SEEDS: readonly string[] = [
  [
    'v=0',
    'o=- 20518 0 IN IP4 203.0.113.1',
    's=-',
    'c=IN IP4 203.0.113.1',
    't=0 0',
    'm=audio 54400 RTP/SAVP 0 8 9 111 101',
    'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz|2^20|1:4',
    'a=rtpmap:111 opus/48000/2',
    'a=fmtp:111 maxplaybackrate=16000;useinbandfec=1;usedtx=1',
    'a=rtpmap:101 telephone-event/8000',
    'a=fmtp:101 0-15',
    'a=ptime:20',
    'a=maxptime:60',
    'a=sendrecv',
    '',
  ].join('\r\n'),
  'v=0\r\no=a 1 1 IN IP6 ::1\r\ns=-\r\nt=0 0\r\nm=audio 0 RTP/AVP 0\r\nm=video 4 RTP/AVP 99\r\nm=audio 4000 RTP/AVP 0 13\r\nc=IN IP6 ::1\r\na=inactive\r\n',
  'v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nc=IN IP4 0.0.0.0\r\nt=0 0\r\nm=audio 4000/2 RTP/AVP 0 96\r\na=rtpmap:96 telephone-event/48000\r\n',
];

const VIAS = 'Via: SIP/2.0/TCP [2001:db8::9:1];branch=z9hG4bKas3-111;received=2001:db8::1;rport=6050, SIP/2.0/UDP a:1';

export const MESSAGE_SEEDS: readonly Uint8Array[] = [
  message([...INVITE_LINES, 'Content-Type: application/sdp', 'Supported: timer, 100rel'], SDP_SEEDS[0]),
  message([
    'SIP/2.0 183 =?',
    VIAS,
    'Via : SIP / 2.0 / UDP b ; branch = z9hG4bK1',
    'f: "A \\" B" <sip:a%20b:c@[::1]:5060;transport=tcp;lr?x=y>;tag=1',
    't: tel:+49-30-1234;phone-context=x;tag=2',
    'i: 1@b',
    'CSeq: 2147483647 INVITE',
    'Record-Route: <sip:p1.example;lr>, <sips:p2.example>',
    'Contact: *',
    'Require: 100rel',
    'RSeq: 1',
    'Session-Expires: 1800;refresher=uac',
    'Min-SE: 90',
    'Date: Sat, 13 Nov 2010 23:29:00 GMT',
  ]),
  message([
    'REGISTER sip:example.com SIP/2.0',
    'v: SIP/2.0/UDP 192.0.2.2:5060;branch=z9hG4bKkdjuw',
    'From: sip:j.user@example.com;tag=43251j3j324',
    'To: sip:j.user@example.com',
    'Call-ID: a@b',
    'CSeq: 8 REGISTER',
    'Max-Forwards: 8',
    'Contact: "x" <sip:j@h?Route=%3Csip:s%3E>;q=0.5;expires=3600, <sip:z>',
    'Authorization: Digest username="a", realm="b", nonce="c", uri="sip:d", qop=auth, nc=00000001, cnonce="e", response="f"',
    'Subject:',
    ' folded\ttwice',
    '  over',
  ]),
];

export const RTCP_SEEDS: readonly Uint8Array[] = [
  encodeRtcp([
    {
      type: 'sender_report',
      ssrc: 1,
      ntpSeconds: 3_900_000_000,
      ntpFraction: 7,
      rtpTimestamp: 160,
      packetCount: 1,
      octetCount: 160,
      reports: [
        {
          ssrc: 2,
          fractionLost: 1,
          cumulativeLost: 2,
          highestSequence: 3,
          jitter: 4,
          lastSenderReport: 5,
          delaySinceLastSenderReport: 6,
        },
      ],
    },
    { type: 'source_description', ssrc: 1, cname: 'a' },
    { type: 'bye', ssrcs: [1] },
  ]),
];

/** RTP with G.711; RTP with CSRC, extension and padding; a STUN request (RFC 8489 §5); a DTLS hello; a keep-alive. */
export const PACKET_SEEDS: readonly Uint8Array[] = [
  Uint8Array.from([0x80, 0, 0, 1, 0, 0, 0, 160, 0, 0, 0, 1, ...new Array<number>(160).fill(0xff)]),
  Uint8Array.from([
    0xb2,
    0x80 | 101,
    0,
    2,
    0,
    0,
    1,
    0,
    0,
    0,
    0,
    1,
    0,
    0,
    0,
    2,
    0,
    0,
    0,
    3,
    0xbe,
    0xde,
    0,
    1,
    16,
    1,
    0,
    0,
    5,
    0x8a,
    3,
    32,
    0,
    0,
    0,
    4,
  ]),
  Uint8Array.from([
    0, 1, 0, 8, 0x21, 0x12, 0xa4, 0x42, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 6, 0, 4, 0x61, 0x3a, 0x62, 0,
  ]),
  Uint8Array.from([22, 254, 253, 0, 0, 0, 0, 0, 0, 0, 0, 0, 54, 1]),
  Uint8Array.from([0x0d, 0x0a, 0x0d, 0x0a]),
];
