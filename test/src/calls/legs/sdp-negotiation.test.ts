import { describe, expect, it } from 'vitest';
import { SdpNegotiation } from '../../../../src/calls/legs/sdp-negotiation.ts';

const SPEECH = [
  'v=0',
  'o=- 1 1 IN IP4 192.0.2.9',
  's=-',
  'c=IN IP4 192.0.2.9',
  't=0 0',
  'm=audio 4000 RTP/AVP 0 101',
  'a=rtpmap:101 telephone-event/8000',
  '',
].join('\r\n');

describe('the offers and answers of a leg', () => {
  it('enable in-band DTMF in every description if the trunk requires it', () => {
    const withInbandDtmf = new SdpNegotiation({ addresses: ['192.0.2.1'], port: 20_000, sessionId: '7' }, true);
    const first = withInbandDtmf.answer(SPEECH, null);
    expect(first.ok && first.session.inbandDtmf).toBe(true);
    withInbandDtmf.offer();
    const second = withInbandDtmf.readAnswer(SPEECH, null);
    expect(second.ok && second.session.inbandDtmf).toBe(true);
    const other = new SdpNegotiation({ addresses: ['192.0.2.1'], port: 20_000, sessionId: '7' }).answer(SPEECH, null);
    expect(other.ok && other.session.inbandDtmf).toBe(undefined);
  });

  it('follow an offer of the other IP family, and stay with our address of that family', () => {
    const addresses = ['192.0.2.1', '2001:db8::1'] as const;
    const both = new SdpNegotiation({ addresses, port: 20_000, sessionId: '7' });
    expect(both.offer()).toContain('c=IN IP4 192.0.2.1\r\n');
    const first = both.answer(SPEECH.replace(/c=IN IP4 \S+/, 'c=IN IP6 2001:db8::9'), '192.0.2.9');
    expect(first.ok && first.answer).toContain('c=IN IP6 2001:db8::1\r\n');
    expect(first.ok && first.session.remoteAddress).toBe('2001:db8::9');
    expect(both.offer()).toContain('c=IN IP6 2001:db8::1\r\n');
    const again = both.answer(SPEECH, '192.0.2.9');
    expect(again.ok && again.answer).toContain('c=IN IP4 192.0.2.1\r\n');
  });

  it('read an IPv4-mapped address in SDP as IPv4', () => {
    const negotiation = new SdpNegotiation({ addresses: ['192.0.2.1'], port: 20_000, sessionId: '7' });
    const mapped = SPEECH.replace(/c=IN IP4 \S+/, 'c=IN IP6 ::ffff:c000:209');
    const result = negotiation.answer(mapped, '192.0.2.9');
    expect(result.ok && result.session).toMatchObject({ remoteAddress: '192.0.2.9', allowedAddresses: [] });
  });
});
