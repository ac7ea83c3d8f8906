import { describe, expect, it } from 'vitest';
import type { LocalMedia } from '../../../sip/sdp/local-description.ts';
import { makeOffer } from '../../../sip/sdp/make-offer.ts';
import { readAnswer } from '../../../sip/sdp/read-answer.ts';

const LOCAL: LocalMedia = { address: '192.0.2.10', port: 20_000, sessionId: '77', previous: null };
const PEER = { sourceAddress: '198.51.100.7', nat: false };
const OFFER = makeOffer(LOCAL);

function answerOf(...media: string[]): string {
  return `${['v=0', 'o=- 1 1 IN IP4 198.51.100.7', 's=-', 'c=IN IP4 198.51.100.7', 't=0 0', ...media].join('\r\n')}\r\n`;
}

describe('an answer', () => {
  it('decides codec, DTMF payload type, address and direction', () => {
    const answer = answerOf('m=audio 4000 RTP/AVP 8 101', 'a=rtpmap:101 telephone-event/8000', 'a=sendonly');
    expect(readAnswer(OFFER, answer, PEER)).toEqual({
      ok: true,
      session: {
        codec: 'pcma',
        payloadType: 8,
        dtmfPayloadType: 101,
        remoteAddress: '198.51.100.7',
        remotePort: 4000,
        allowedAddresses: [],
        direction: 'recvonly',
      },
    });
  });

  it('need not repeat the mapping of telephone-event', () => {
    const result = readAnswer(OFFER, answerOf('m=audio 4000 RTP/AVP 0 101'), PEER);
    expect(result).toMatchObject({ ok: true, session: { codec: 'pcmu', dtmfPayloadType: 101 } });
  });

  it('may choose another payload type for the events that we send; we receive on the offered one', () => {
    const result = readAnswer(OFFER, answerOf('m=audio 4000 RTP/AVP 0 96', 'a=rtpmap:96 telephone-event/8000'), PEER);
    expect(result).toMatchObject({ ok: true, session: { dtmfPayloadType: 96, dtmfReceivePayloadType: 101 } });
  });

  it('cannot add events to an offer without events', () => {
    const offer = OFFER.replace(' 101\r\n', '\r\n').replace(/a=(?:rtpmap|fmtp):101.*\r\n/g, '');
    const result = readAnswer(offer, answerOf('m=audio 4000 RTP/AVP 0 96', 'a=rtpmap:96 telephone-event/8000'), PEER);
    expect(result).toMatchObject({ ok: true, session: { dtmfPayloadType: null } });
    expect(result.ok && 'dtmfReceivePayloadType' in result.session).toBe(false);
  });

  it.each([10, 20, 30, 40, 60])('is accepted with a=ptime:%i', (ms) => {
    const result = readAnswer(OFFER, answerOf('m=audio 4000 RTP/AVP 0', `a=ptime:${ms}`, 'a=maxptime:60'), PEER);
    expect(result).toMatchObject({ ok: true, session: { codec: 'pcmu' } });
  });

  it('may list codecs that were not offered, which are ignored', () => {
    const answer = answerOf('m=audio 4000 RTP/AVP 97 8', 'a=rtpmap:97 PCMU/8000');
    expect(readAnswer(OFFER, answer, PEER)).toMatchObject({ ok: true, session: { codec: 'pcma', payloadType: 8 } });
  });

  it.each([
    ['with the audio refused', answerOf('m=audio 0 RTP/AVP 0')],
    ['with no codec of the offer', answerOf('m=audio 4000 RTP/AVP 18')],
    ['with another profile', answerOf('m=audio 4000 RTP/SAVP 0')],
    ['without media', answerOf()],
    ['that is not SDP', 'x'],
    ['that is empty', ''],
  ])('%s is rejected', (_, answer) => {
    expect(readAnswer(OFFER, answer, PEER)).toMatchObject({ ok: false });
  });
});
