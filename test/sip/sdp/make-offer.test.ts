import { expect, it } from 'vitest';
import type { LocalMedia } from '../../../sip/sdp/local-description.ts';
import { makeOffer } from '../../../sip/sdp/make-offer.ts';

const LOCAL: LocalMedia = { address: '192.0.2.10', port: 20_000, sessionId: '77', previous: null };
const OFFER = makeOffer(LOCAL);

it('offers PCMU, PCMA, telephone-event and 20 ms', () => {
  expect(OFFER.split('\r\n').slice(5)).toEqual([
    'm=audio 20000 RTP/AVP 0 8 101',
    'a=rtpmap:0 PCMU/8000',
    'a=rtpmap:8 PCMA/8000',
    'a=rtpmap:101 telephone-event/8000',
    'a=fmtp:101 0-15',
    'a=ptime:20',
    'a=sendrecv',
    '',
  ]);
});

it('keeps the version of an unchanged offer', () => {
  expect(makeOffer({ ...LOCAL, previous: OFFER })).toBe(OFFER);
  expect(makeOffer({ ...LOCAL, port: 20_002, previous: OFFER })).toContain('o=- 77 2 ');
});
