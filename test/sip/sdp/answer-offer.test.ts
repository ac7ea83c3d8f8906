import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerOffer } from '../../../sip/sdp/answer-offer.ts';
import type { PeerNetwork } from '../../../sip/sdp/audio-stream.ts';
import type { LocalMedia } from '../../../sip/sdp/local-description.ts';

const LOCAL: LocalMedia = { address: '192.0.2.10', port: 20_000, sessionId: '77', previous: null };
const PEER: PeerNetwork = { sourceAddress: '198.51.100.7', nat: false };

/** An offer from 198.51.100.7 with these media lines. */
function offerOf(...media: string[]): string {
  const session = ['v=0', 'o=- 1 1 IN IP4 198.51.100.7', 's=-', 'c=IN IP4 198.51.100.7', 't=0 0'];
  return `${[...session, ...media].join('\r\n')}\r\n`;
}

const TYPICAL_OFFER = offerOf('m=audio 4000 RTP/AVP 8 0 101', 'a=rtpmap:101 telephone-event/8000', 'a=fmtp:101 0-16');

function accept(offer: string, local = LOCAL, peer = PEER) {
  const result = answerOffer(offer, local, peer);
  if (!result.ok) throw new Error(result.reason);
  return result;
}

describe('an accepted offer', () => {
  it('is answered with its first supported codec, its payload types and 20 ms', () => {
    const { answer, session } = accept(TYPICAL_OFFER);
    expect(answer.split('\r\n')).toEqual([
      'v=0',
      'o=- 77 1 IN IP4 192.0.2.10',
      's=-',
      'c=IN IP4 192.0.2.10',
      't=0 0',
      'm=audio 20000 RTP/AVP 8 101',
      'a=rtpmap:8 PCMA/8000',
      'a=rtpmap:101 telephone-event/8000',
      'a=fmtp:101 0-15',
      'a=ptime:20',
      'a=sendrecv',
      '',
    ]);
    expect(session).toEqual({
      codec: 'pcma',
      payloadType: 8,
      dtmfPayloadType: 101,
      remoteAddress: '198.51.100.7',
      remotePort: 4000,
      allowedAddresses: [],
      direction: 'sendrecv',
    });
  });

  it('gets rtcp-mux in the answer only if it offers rtcp-mux', () => {
    const { answer, session } = accept(offerOf('m=audio 4000 RTP/AVP 0', 'a=rtcp-mux'));
    expect(answer).toContain('a=rtcp-mux\r\n');
    expect(session.rtcpMux).toBe(true);
    expect(accept(TYPICAL_OFFER).answer).not.toContain('rtcp-mux');
  });

  it('may map codecs to any payload types, in any case', () => {
    const offer = offerOf(
      'm=audio 4000 RTP/AVP 18 97 96',
      'a=rtpmap:97 pcmu/8000/1',
      'a=rtpmap:96 Telephone-Event/8000',
    );
    const { answer, session } = accept(offer);
    expect(session).toMatchObject({ codec: 'pcmu', payloadType: 97, dtmfPayloadType: 96 });
    expect(answer).toContain('m=audio 20000 RTP/AVP 97 96\r\n');
  });

  it('may lack telephone-event, or offer it at an unsupported rate', () => {
    expect(accept(offerOf('m=audio 4000 RTP/AVP 0')).session.dtmfPayloadType).toBeNull();
    const wideband = offerOf('m=audio 4000 RTP/AVP 0 101', 'a=rtpmap:101 telephone-event/48000');
    expect(accept(wideband).session.dtmfPayloadType).toBeNull();
    expect(accept(wideband).answer).not.toContain('telephone-event');
  });

  it('gets its other media lines refused in place', () => {
    const { answer, session } = accept(
      offerOf('m=video 4002 RTP/AVP 31', 'm=audio 0 RTP/AVP 0', 'm=audio 4000 RTP/AVP 0', 'm=audio 4004 RTP/AVP 8'),
    );
    const lines = answer.split('\r\n').filter((line) => line.startsWith('m='));
    expect(lines).toEqual([
      'm=video 0 RTP/AVP 31',
      'm=audio 0 RTP/AVP 0',
      'm=audio 20000 RTP/AVP 0',
      'm=audio 0 RTP/AVP 8',
    ]);
    expect(session.remotePort).toBe(4000);
  });

  it('may contain a media-level address, another ptime, rtcp and unknown attributes', () => {
    const media = ['m=audio 4000 RTP/AVP 0', 'c=IN IP4 203.0.113.9', 'a=ptime:30', 'a=rtcp:4001', 'a=candidate:x y'];
    const { answer, session } = accept(offerOf(...media));
    expect(session.remoteAddress).toBe('203.0.113.9');
    expect(answer).toContain('a=ptime:20\r\n');
  });

  it('may end its lines with a bare LF', () => {
    expect(accept(TYPICAL_OFFER.replaceAll('\r\n', '\n')).session.codec).toBe('pcma');
  });

  it.each(['2001:DB8::7', '2001:db8:0:0:0:0:0:7', '2001:0db8::0007'])(
    'from %s yields the address in its normalised form',
    (written) => {
      const offer = TYPICAL_OFFER.replaceAll('IP4 198.51.100.7', `IP6 ${written}`);
      const local = { ...LOCAL, address: '2001:db8::10' };
      const { session } = accept(offer, local, { sourceAddress: '2001:db8::7', nat: false });
      expect(session).toMatchObject({ remoteAddress: '2001:db8::7', allowedAddresses: [] });
    },
  );

  it('is answered over IPv6 if it is over IPv6', () => {
    const offer = TYPICAL_OFFER.replaceAll('IP4 198.51.100.7', 'IP6 2001:db8::7');
    const { answer, session } = accept(offer, { ...LOCAL, address: '2001:db8::10' });
    expect(session.remoteAddress).toBe('2001:db8::7');
    expect(answer).toContain('c=IN IP6 2001:db8::10\r\n');
  });
});

describe('directions', () => {
  it.each([
    ['sendrecv', 'sendrecv'],
    ['sendonly', 'recvonly'],
    ['recvonly', 'sendonly'],
    ['inactive', 'inactive'],
  ])('%s is answered with %s', (offered, answered) => {
    const onMedia = accept(offerOf('m=audio 4000 RTP/AVP 0', `a=${offered}`));
    expect(onMedia.session.direction).toBe(answered);
    expect(onMedia.answer).toContain(`a=${answered}\r\n`);
    const onSession = accept(offerOf(`a=${offered}`, 'm=audio 4000 RTP/AVP 0'));
    expect(onSession.session.direction).toBe(answered);
  });

  it.each([
    ['sendrecv', 'recvonly'],
    ['recvonly', 'inactive'],
    ['inactive', 'inactive'],
  ])('hold by the address 0.0.0.0 with %s is answered with %s', (offered, answered) => {
    const offer = offerOf('m=audio 4000 RTP/AVP 0', 'c=IN IP4 0.0.0.0', `a=${offered}`);
    expect(accept(offer).session.direction).toBe(answered);
  });
});

describe('the allowed RTP sources', () => {
  const from = (address: string) => TYPICAL_OFFER.replaceAll('198.51.100.7', address);
  const allowed = (address: string, peer = PEER) => accept(from(address), LOCAL, peer).session.allowedAddresses;

  it.each(['10.1.2.3', '172.31.0.1', '192.168.1.1', '100.64.0.1', '169.254.1.1', '127.0.0.1'])(
    'include the SIP source for the private address %s',
    (address) => {
      expect(allowed(address)).toEqual(['198.51.100.7']);
    },
  );

  it('include the SIP source for a public address only if the trunk has `nat`', () => {
    expect(allowed('203.0.113.1')).toEqual([]);
    expect(allowed('172.32.0.1')).toEqual([]);
    expect(allowed('203.0.113.1', { ...PEER, nat: true })).toEqual(['198.51.100.7']);
  });

  it('include no unknown SIP source, and not the signalled address again', () => {
    expect(allowed('10.1.2.3', { sourceAddress: null, nat: true })).toEqual([]);
    expect(allowed('10.1.2.3', { sourceAddress: '10.1.2.3', nat: true })).toEqual([]);
  });
});

describe('the version in o=', () => {
  it('rises exactly when the description changes', () => {
    const first = accept(TYPICAL_OFFER).answer;
    const again = accept(TYPICAL_OFFER, { ...LOCAL, previous: first }).answer;
    expect(again).toBe(first);
    const hold = accept(`${TYPICAL_OFFER}a=sendonly\r\n`, { ...LOCAL, previous: again }).answer;
    expect(hold).toContain('o=- 77 2 IN IP4 192.0.2.10\r\n');
    const resumed = accept(TYPICAL_OFFER, { ...LOCAL, previous: hold }).answer;
    expect(resumed).toContain('o=- 77 3 IN IP4 192.0.2.10\r\n');
  });
});

describe('an offer is refused with 488 for', () => {
  it.each([
    ['no supported codec', offerOf('m=audio 4000 RTP/AVP 9 18', 'a=rtpmap:9 G726-32/8000')],
    ['PCMU at another rate', offerOf('m=audio 4000 RTP/AVP 96', 'a=rtpmap:96 PCMU/16000')],
    ['PCMU in stereo', offerOf('m=audio 4000 RTP/AVP 96', 'a=rtpmap:96 PCMU/8000/2')],
    ['payload type 0 mapped to another codec', offerOf('m=audio 4000 RTP/AVP 0', 'a=rtpmap:0 iLBC/8000')],
    ['telephone-event alone', offerOf('m=audio 4000 RTP/AVP 101', 'a=rtpmap:101 telephone-event/8000')],
    ['SRTP', offerOf('m=audio 4000 RTP/SAVP 0')],
    ['no audio', offerOf('m=video 4000 RTP/AVP 0')],
    ['audio removed', offerOf('m=audio 0 RTP/AVP 0')],
    ['no media', offerOf()],
    ['no address', 'v=0\r\no=- 1 1 IN IP4 1.1.1.1\r\ns=-\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0\r\n'],
    ['a name in place of the address', TYPICAL_OFFER.replace('c=IN IP4 198.51.100.7', 'c=IN IP4 media.example')],
    ['a multicast address', TYPICAL_OFFER.replace('c=IN IP4 198.51.100.7', 'c=IN IP4 224.2.1.1')],
    ['the broadcast address', TYPICAL_OFFER.replace('c=IN IP4 198.51.100.7', 'c=IN IP4 255.255.255.255')],
    ['another address family', TYPICAL_OFFER.replace('c=IN IP4 198.51.100.7', 'c=IN IP6 2001:db8::7')],
    ['a port over 65535', offerOf('m=audio 70000 RTP/AVP 0')],
    ['a port that is not a number', offerOf('m=audio x RTP/AVP 0')],
    ['no formats', offerOf('m=audio 4000 RTP/AVP')],
    ['another version', TYPICAL_OFFER.replace('v=0', 'v=1')],
    ['no SDP', 'hello'],
    ['an empty text', ''],
    ['a text that is too long', `${TYPICAL_OFFER}${'a=x\r\n'.repeat(10_000)}`],
    ['too many media lines', offerOf(...Array.from({ length: 17 }, () => 'm=audio 4000 RTP/AVP 0'))],
  ])('%s', (_, offer) => {
    expect(answerOffer(offer, LOCAL, PEER)).toMatchObject({ ok: false, status: 488 });
  });
});

it('never throws, and answers with as many media lines as the offer has', () => {
  const line = fc.oneof(
    fc.constantFrom(
      'm=audio 4000 RTP/AVP 0 101',
      'm=audio 1/2 RTP/AVP 0',
      'c=IN IP4 x',
      'a=rtpmap:101 a/8000',
      'a=__proto__:x',
    ),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
      const offer = offerOf(...lines);
      const result = answerOffer(offer, LOCAL, PEER);
      if (!result.ok) return;
      const count = (text: string) => text.split(/[\r\n]+/).filter((candidate) => candidate.startsWith('m=')).length;
      expect(count(result.answer)).toBe(count(offer));
    }),
  );
});
