import { describe, expect, it } from 'vitest';
import type { AudioCodec } from '../../../sip/rtp/codecs/audio-codec.ts';
import { answerOffer } from '../../../sip/sdp/answer-offer.ts';
import type { LocalMedia } from '../../../sip/sdp/local-description.ts';
import { createLocalSrtp, type SrtpPolicy } from '../../../sip/sdp/local-srtp.ts';
import { makeOffer } from '../../../sip/sdp/make-offer.ts';
import { readAnswer } from '../../../sip/sdp/read-answer.ts';

const PEER = { sourceAddress: '198.51.100.7', nat: false };
const LOCAL: LocalMedia = { address: '192.0.2.10', port: 20_000, sessionId: '77', previous: null };
const OUR_KEYS = createLocalSrtp('optional', (count) => new Uint8Array(count).fill(7)).keys;
/** Master key and salt: 30 bytes for AES-CM, 28 for GCM. */
const THEIR_KEY = Buffer.alloc(30, 9).toString('base64');
const THEIR_GCM_KEY = Buffer.alloc(28, 9).toString('base64');
const CRYPTO_80 = `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${THEIR_KEY}`;

function local(changes: { srtp?: SrtpPolicy; codecs?: readonly AudioCodec[] } = {}): LocalMedia {
  const { srtp, codecs } = changes;
  return {
    ...LOCAL,
    ...(srtp !== undefined && { srtp: { policy: srtp, keys: OUR_KEYS } }),
    ...(codecs !== undefined && { codecs }),
  };
}

function sdp(...media: string[]): string {
  return `${['v=0', 'o=- 1 1 IN IP4 198.51.100.7', 's=-', 'c=IN IP4 198.51.100.7', 't=0 0', ...media].join('\r\n')}\r\n`;
}

function accept(offer: string, ours = LOCAL) {
  const result = answerOffer(offer, ours, PEER);
  if (!result.ok) throw new Error(result.reason);
  return result;
}

describe('the codec of an answer', () => {
  const ALL_CODECS = sdp(
    'm=audio 4000 RTP/AVP 8 0 96 9 101',
    'a=rtpmap:96 opus/48000/2',
    'a=rtpmap:101 telephone-event/8000',
  );

  it('is G.722 if offered, with its static payload type and its clock of 8 kHz', () => {
    const { answer, session } = accept(ALL_CODECS);
    expect(session).toMatchObject({ codec: 'g722', payloadType: 9, dtmfPayloadType: 101 });
    expect(answer).toContain('m=audio 20000 RTP/AVP 9 101\r\na=rtpmap:9 G722/8000\r\n');
  });

  it.each([
    [['pcmu', 'g722'], 'pcmu', 0],
    [['opus', 'g722'], 'opus', 96],
    [['pcma'], 'pcma', 8],
  ] as const)("is the first offered codec of the trunk's list %j", (codecs, codec, payloadType) => {
    expect(accept(ALL_CODECS, local({ codecs })).session).toMatchObject({ codec, payloadType });
  });

  it("is missing if none of the trunk's codecs is offered: 488", () => {
    expect(answerOffer(sdp('m=audio 4000 RTP/AVP 0 8'), local({ codecs: ['g722'] }), PEER)).toMatchObject({
      ok: false,
      status: 488,
    });
  });

  it.each(['a=rtpmap:9 G722/16000', 'a=rtpmap:9 G722/8000/2'])('is not G.722 for the mapping %s', (mapping) => {
    expect(accept(sdp('m=audio 4000 RTP/AVP 9 0', mapping)).session.codec).toBe('pcmu');
  });

  it('is Opus with our parameters, and with telephone-event at 48 kHz if offered', () => {
    const offer = sdp(
      'm=audio 4000 RTP/AVP 96 101 102',
      'a=rtpmap:96 opus/48000/2',
      'a=rtpmap:101 telephone-event/8000',
      'a=rtpmap:102 telephone-event/48000',
    );
    const { answer, session } = accept(offer);
    expect(session).toMatchObject({ codec: 'opus', dtmfPayloadType: 102, dtmfClockHz: 48_000 });
    expect(answer).toContain('a=rtpmap:96 opus/48000/2\r\n');
    expect(answer).toMatch(/a=fmtp:96 .*maxplaybackrate=16000;.*useinbandfec=1/);
  });

  it('to our offer is the first offered codec that the peer lists', () => {
    const ours = local({ codecs: ['opus', 'g722', 'pcmu'] });
    const offer = makeOffer(ours);
    expect(offer).toContain('m=audio 20000 RTP/AVP 107 9 0 101\r\n');
    const result = readAnswer(offer, sdp('m=audio 4000 RTP/AVP 9 0'), PEER);
    expect(result).toMatchObject({ ok: true, session: { codec: 'g722' } });
    expect(readAnswer(offer, sdp('m=audio 4000 RTP/AVP 8'), PEER)).toMatchObject({ ok: false });
  });
});

describe('the length of our packets', () => {
  it.each([
    ['a=ptime:30', 30],
    ['a=ptime:40', 40],
    ['a=ptime:10', 10],
    ['a=ptime:50', 40],
    ['a=ptime:200', 60],
    ['a=ptime:60\r\na=maxptime:30', 30],
    ['a=maxptime:10', 10],
    ['a=ptime:5', 10],
    ['a=maxptime:150', undefined],
    ['a=ptime:20', undefined],
    ['a=ptime:0', undefined],
    ['a=ptime:abc', undefined],
  ])('for %s is %s ms', (attribute, packetMs) => {
    expect(accept(sdp('m=audio 4000 RTP/AVP 0', attribute)).session.packetMs).toBe(packetMs);
  });

  it('for Opus is never 30 ms', () => {
    const offer = sdp('m=audio 4000 RTP/AVP 96', 'a=rtpmap:96 opus/48000/2', 'a=ptime:30');
    expect(accept(offer).session.packetMs).toBeUndefined();
  });
});

describe('SDES in an offer', () => {
  it.each(['optional', 'required'] as const)('over RTP/SAVP is answered with our key under the policy %s', (srtp) => {
    const { answer, session } = accept(sdp('m=audio 4000 RTP/SAVP 0', CRYPTO_80), local({ srtp }));
    expect(answer).toContain('m=audio 20000 RTP/SAVP 0\r\n');
    const ours = Buffer.alloc(30, 7).toString('base64');
    expect(answer.match(/a=crypto:.*/g)).toEqual([`a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${ours}`]);
    expect(session.srtp).toEqual({
      suite: 'AES_CM_128_HMAC_SHA1_80',
      localKey: new Uint8Array(30).fill(7),
      remoteKey: new Uint8Array(30).fill(9),
    });
  });

  it("is answered with the offerer's first supported suite and its tag; lifetime and window size are ignored", () => {
    const offer = sdp(
      'm=audio 4000 RTP/SAVP 0',
      `a=crypto:3 AES_256_CM_HMAC_SHA1_80 inline:${Buffer.alloc(46, 9).toString('base64')}`,
      `a=crypto:4 AEAD_AES_128_GCM inline:${THEIR_GCM_KEY}|2^31 WSH=128`,
      CRYPTO_80,
    );
    const { answer, session } = accept(offer, local({ srtp: 'optional' }));
    expect(session.srtp).toMatchObject({ suite: 'AEAD_AES_128_GCM', remoteKey: new Uint8Array(28).fill(9) });
    expect(answer).toContain('a=crypto:4 AEAD_AES_128_GCM inline:');
  });

  it('prefers an encrypted line over an earlier plain line', () => {
    const offer = sdp('m=audio 4000 RTP/AVP 0', 'm=audio 4002 RTP/SAVP 0', CRYPTO_80);
    const { answer, session } = accept(offer, local({ srtp: 'optional' }));
    expect(session).toMatchObject({ remotePort: 4002, srtp: { suite: 'AES_CM_128_HMAC_SHA1_80' } });
    expect(answer.match(/m=.*/g)).toEqual(['m=audio 0 RTP/AVP 0', 'm=audio 20000 RTP/SAVP 0']);
  });

  it('over RTP/AVP is used under the policy optional, and ignored under off', () => {
    const offer = sdp('m=audio 4000 RTP/AVP 0', CRYPTO_80);
    const { answer, session } = accept(offer, local({ srtp: 'optional' }));
    expect(session.srtp).toBeDefined();
    expect(answer).toContain('m=audio 20000 RTP/AVP 0\r\n');
    expect(accept(offer, local({ srtp: 'off' })).session.srtp).toBeUndefined();
    expect(accept(offer, local({ srtp: 'off' })).answer).not.toContain('crypto');
  });

  it('may be missing under the policy optional, but not under required', () => {
    const offer = sdp('m=audio 4000 RTP/AVP 0');
    expect(accept(offer, local({ srtp: 'optional' })).session.srtp).toBeUndefined();
    expect(answerOffer(offer, local({ srtp: 'required' }), PEER)).toMatchObject({ ok: false, status: 488 });
  });

  it.each([
    ['no key', 'a=sendrecv'],
    ['an unknown suite', `a=crypto:1 F8_128_HMAC_SHA1_80 inline:${THEIR_KEY}`],
    ['the name of an Object property as its suite', `a=crypto:1 toString inline:${THEIR_KEY}`],
    ['a key that is too short', 'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:AAAA'],
    ['a key identifier', `${CRYPTO_80}|2^20|1:4`],
    ['two keys', `${CRYPTO_80};inline:${THEIR_KEY}`],
    ['unencrypted packets', `${CRYPTO_80} UNENCRYPTED_SRTP`],
    ['an unknown session parameter', `${CRYPTO_80} WSH=64 UNAUTHENTICATED_SRTP`],
    ['no inline key', 'a=crypto:1 AES_CM_128_HMAC_SHA1_80 uri:https://example.com/key'],
  ])('over RTP/SAVP with %s is refused', (_, attribute) => {
    for (const srtp of ['off', 'optional', 'required'] as const) {
      const result = answerOffer(sdp('m=audio 4000 RTP/SAVP 0', attribute), local({ srtp }), PEER);
      expect(result).toMatchObject({ ok: false, status: 488 });
    }
  });
});

describe('SDES in our offer', () => {
  it('follows the policy: none for off, three suites over RTP/AVP for optional, over RTP/SAVP for required', () => {
    expect(makeOffer(local({ srtp: 'off' }))).toBe(makeOffer(LOCAL));
    const optional = makeOffer(local({ srtp: 'optional' }));
    expect(optional).toContain('RTP/AVP');
    const required = makeOffer(local({ srtp: 'required' }));
    expect(required).toContain('RTP/SAVP');
    for (const offer of [optional, required]) expect(offer.match(/a=crypto:\d (\S+)/g)).toHaveLength(3);
  });

  it('is accepted by an answer with an offered tag', () => {
    const offer = makeOffer(local({ srtp: 'required' }));
    const answer = sdp('m=audio 4000 RTP/SAVP 0', `a=crypto:2 AES_CM_128_HMAC_SHA1_32 inline:${THEIR_KEY}`);
    expect(readAnswer(offer, answer, PEER)).toMatchObject({
      ok: true,
      session: {
        srtp: {
          suite: 'AES_CM_128_HMAC_SHA1_32',
          localKey: new Uint8Array(30).fill(7),
          remoteKey: new Uint8Array(30).fill(9),
        },
      },
    });
  });

  it.each([
    ['plain', sdp('m=audio 4000 RTP/AVP 0')],
    ['without a key', sdp('m=audio 4000 RTP/SAVP 0')],
    ['with a tag that was not offered', sdp('m=audio 4000 RTP/SAVP 0', CRYPTO_80.replace('crypto:1', 'crypto:9'))],
    ['with the suite of another tag', sdp('m=audio 4000 RTP/SAVP 0', CRYPTO_80.replace('crypto:1', 'crypto:2'))],
  ])('is not accepted by an answer %s under the policy required', (_, answer) => {
    expect(readAnswer(makeOffer(local({ srtp: 'required' })), answer, PEER)).toMatchObject({ ok: false });
  });

  it('allows a plain answer under the policy optional', () => {
    const result = readAnswer(makeOffer(local({ srtp: 'optional' })), sdp('m=audio 4000 RTP/AVP 0'), PEER);
    expect(result).toMatchObject({ ok: true });
    expect(result.ok && result.session.srtp).toBeUndefined();
  });

  it('keeps its keys and its version when repeated', () => {
    const offer = makeOffer(local({ srtp: 'required' }));
    expect(makeOffer({ ...local({ srtp: 'required' }), previous: offer })).toBe(offer);
  });
});

describe('the RTP profiles with feedback', () => {
  const FEEDBACK = 'a=rtcp-fb:* nack';
  const PLAIN = sdp('m=audio 4000 RTP/AVPF 0', FEEDBACK);
  const SECURE = sdp('m=audio 4000 RTP/SAVPF 0', CRYPTO_80, FEEDBACK);

  it.each([
    ['RTP/AVPF', PLAIN, 'off'],
    ['RTP/SAVPF', SECURE, 'required'],
  ] as const)('%s is answered with the same profile, without feedback', (profile, offer, srtp) => {
    const { answer, session } = accept(offer, local({ srtp }));
    expect(answer).toContain(`m=audio 20000 ${profile} 0\r\n`);
    expect(answer).not.toContain('rtcp-fb');
    expect(session.srtp === undefined).toBe(srtp === 'off');
    const later = makeOffer({ ...local({ srtp }), previous: answer });
    expect(later).toContain(`m=audio 20000 ${profile} `);
    expect(readAnswer(later, offer, PEER)).toMatchObject({ ok: true });
  });

  it('need keys like the profiles without feedback', () => {
    expect(answerOffer(SECURE, local({ srtp: 'off' }), PEER)).toMatchObject({ ok: false, status: 488 });
    expect(answerOffer(PLAIN, local({ srtp: 'required' }), PEER)).toMatchObject({ ok: false, status: 488 });
    const dtls = sdp('m=audio 4000 UDP/TLS/RTP/SAVPF 0', 'a=fingerprint:sha-256 00');
    expect(answerOffer(dtls, local({ srtp: 'optional' }), PEER)).toMatchObject({ ok: false, status: 488 });
  });
});

it('the reason of a refusal lists the offered and the supported media', () => {
  const offer = sdp('m=audio 4000 RTP/SAVP 8 96', 'a=rtpmap:96 opus/48000/2', CRYPTO_80, 'm=video 0 RTP/AVP 97');
  expect(answerOffer(offer, local({ codecs: ['pcma'] }), PEER)).toEqual({
    ok: false,
    status: 488,
    reason:
      'no acceptable audio: offered audio RTP/SAVP pcma opus at 198.51.100.7, video RTP/AVP 97 at 198.51.100.7; here audio pcma at 192.0.2.10, srtp off',
  });
});
