import { describe, expect, test } from 'vitest';
import type { AudioCodec } from '../../../sip/rtp/codecs/audio-codec.ts';
import { answerOffer } from '../../../sip/sdp/answer-offer.ts';
import type { LocalMedia } from '../../../sip/sdp/local-description.ts';
import { createLocalSrtp, type SrtpPolicy } from '../../../sip/sdp/local-srtp.ts';
import { makeOffer } from '../../../sip/sdp/make-offer.ts';
import { readAnswer } from '../../../sip/sdp/read-answer.ts';

const PEER = { sourceAddress: '198.51.100.7', nat: false };
const LOCAL: LocalMedia = { address: '192.0.2.10', port: 20_000, sessionId: '77', previous: null };
const OUR_KEYS = createLocalSrtp('optional', (count) => new Uint8Array(count).fill(7)).keys;
/** 30 and 28 bytes. */
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

function accepted(offer: string, ours = LOCAL) {
  const result = answerOffer(offer, ours, PEER);
  if (!result.ok) throw new Error(result.reason);
  return result;
}

describe('the codec of an answer', () => {
  const ALL = sdp('m=audio 4000 RTP/AVP 8 0 96 9 101', 'a=rtpmap:96 opus/48000/2', 'a=rtpmap:101 telephone-event/8000');

  test('is G.722 wherever it is offered, by its static payload type and the clock of 8 kHz', () => {
    const { answer, session } = accepted(ALL);
    expect(session).toMatchObject({ codec: 'g722', payloadType: 9, dtmfPayloadType: 101 });
    expect(answer).toContain('m=audio 20000 RTP/AVP 9 101\r\na=rtpmap:9 G722/8000\r\n');
  });

  test.each([
    [['pcmu', 'g722'], 'pcmu', 0],
    [['opus', 'g722'], 'opus', 96],
    [['pcma'], 'pcma', 8],
  ] as const)("is the first of the trunk's %j, in its strict order", (codecs, codec, payloadType) => {
    expect(accepted(ALL, local({ codecs })).session).toMatchObject({ codec, payloadType });
  });

  test("is refused where the trunk's codecs are not among those offered", () => {
    expect(answerOffer(sdp('m=audio 4000 RTP/AVP 0 8'), local({ codecs: ['g722'] }), PEER)).toMatchObject({
      ok: false,
      status: 488,
    });
  });

  test.each(['a=rtpmap:9 G722/16000', 'a=rtpmap:9 G722/8000/2'])('is not G.722 by the mapping %s', (mapping) => {
    expect(accepted(sdp('m=audio 4000 RTP/AVP 9 0', mapping)).session.codec).toBe('pcmu');
  });

  test('Opus tells what we can take, and has its events at its own clock where there are such', () => {
    const offer = sdp(
      'm=audio 4000 RTP/AVP 96 101 102',
      'a=rtpmap:96 opus/48000/2',
      'a=rtpmap:101 telephone-event/8000',
      'a=rtpmap:102 telephone-event/48000',
    );
    const { answer, session } = accepted(offer);
    expect(session).toMatchObject({ codec: 'opus', dtmfPayloadType: 102, dtmfClockHz: 48_000 });
    expect(answer).toContain('a=rtpmap:96 opus/48000/2\r\n');
    expect(answer).toMatch(/a=fmtp:96 .*maxplaybackrate=16000;.*useinbandfec=1/);
  });

  test('of our own offer is whichever the peer names first', () => {
    const ours = local({ codecs: ['opus', 'g722', 'pcmu'] });
    const offer = makeOffer(ours);
    expect(offer).toContain('m=audio 20000 RTP/AVP 107 9 0 101\r\n');
    const reading = readAnswer(offer, sdp('m=audio 4000 RTP/AVP 9 0'), PEER);
    expect(reading).toMatchObject({ ok: true, session: { codec: 'g722' } });
    expect(readAnswer(offer, sdp('m=audio 4000 RTP/AVP 8'), PEER)).toMatchObject({ ok: false });
  });
});

describe('the length of our packets', () => {
  test.each([
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
  ])('with %s is %s ms', (attribute, packetMs) => {
    expect(accepted(sdp('m=audio 4000 RTP/AVP 0', attribute)).session.packetMs).toBe(packetMs);
  });

  test('of Opus is one that it has', () => {
    const offer = sdp('m=audio 4000 RTP/AVP 96', 'a=rtpmap:96 opus/48000/2', 'a=ptime:30');
    expect(accepted(offer).session.packetMs).toBeUndefined();
  });
});

describe('SDES in an offer', () => {
  test.each(['optional', 'required'] as const)('under RTP/SAVP is answered with our key by %s', (srtp) => {
    const { answer, session } = accepted(sdp('m=audio 4000 RTP/SAVP 0', CRYPTO_80), local({ srtp }));
    expect(answer).toContain('m=audio 20000 RTP/SAVP 0\r\n');
    const ours = Buffer.alloc(30, 7).toString('base64');
    expect(answer.match(/a=crypto:.*/g)).toEqual([`a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${ours}`]);
    expect(session.srtp).toEqual({
      suite: 'AES_CM_128_HMAC_SHA1_80',
      localKey: new Uint8Array(30).fill(7),
      remoteKey: new Uint8Array(30).fill(9),
    });
  });

  test("takes the offerer's first suite of ours, under its tag, and reads lifetime and window over", () => {
    const offer = sdp(
      'm=audio 4000 RTP/SAVP 0',
      `a=crypto:3 AES_256_CM_HMAC_SHA1_80 inline:${Buffer.alloc(46, 9).toString('base64')}`,
      `a=crypto:4 AEAD_AES_128_GCM inline:${THEIR_GCM_KEY}|2^31 WSH=128`,
      CRYPTO_80,
    );
    const { answer, session } = accepted(offer, local({ srtp: 'optional' }));
    expect(session.srtp).toMatchObject({ suite: 'AEAD_AES_128_GCM', remoteKey: new Uint8Array(28).fill(9) });
    expect(answer).toContain('a=crypto:4 AEAD_AES_128_GCM inline:');
  });

  test('an encrypted line is taken before a plain one in front of it', () => {
    const offer = sdp('m=audio 4000 RTP/AVP 0', 'm=audio 4002 RTP/SAVP 0', CRYPTO_80);
    const { answer, session } = accepted(offer, local({ srtp: 'optional' }));
    expect(session).toMatchObject({ remotePort: 4002, srtp: { suite: 'AES_CM_128_HMAC_SHA1_80' } });
    expect(answer.match(/m=.*/g)).toEqual(['m=audio 0 RTP/AVP 0', 'm=audio 20000 RTP/SAVP 0']);
  });

  test('under RTP/AVP is used where the policy lets it, and read over where it is off', () => {
    const offer = sdp('m=audio 4000 RTP/AVP 0', CRYPTO_80);
    const { answer, session } = accepted(offer, local({ srtp: 'optional' }));
    expect(session.srtp).toBeDefined();
    expect(answer).toContain('m=audio 20000 RTP/AVP 0\r\n');
    expect(accepted(offer, local({ srtp: 'off' })).session.srtp).toBeUndefined();
    expect(accepted(offer, local({ srtp: 'off' })).answer).not.toContain('crypto');
  });

  test('a plain offer is taken as optional, and refused as required', () => {
    const offer = sdp('m=audio 4000 RTP/AVP 0');
    expect(accepted(offer, local({ srtp: 'optional' })).session.srtp).toBeUndefined();
    expect(answerOffer(offer, local({ srtp: 'required' }), PEER)).toMatchObject({ ok: false, status: 488 });
  });

  test.each([
    ['no key', 'a=sendrecv'],
    ['an unknown suite', `a=crypto:1 F8_128_HMAC_SHA1_80 inline:${THEIR_KEY}`],
    ['a property of every object as its suite', `a=crypto:1 toString inline:${THEIR_KEY}`],
    ['a key that is too short', 'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:AAAA'],
    ['a key identifier', `${CRYPTO_80}|2^20|1:4`],
    ['two keys', `${CRYPTO_80};inline:${THEIR_KEY}`],
    ['packets that are not to be encrypted', `${CRYPTO_80} UNENCRYPTED_SRTP`],
    ['a second parameter that we do not know', `${CRYPTO_80} WSH=64 UNAUTHENTICATED_SRTP`],
    ['no inline key', 'a=crypto:1 AES_CM_128_HMAC_SHA1_80 uri:https://example.com/key'],
  ])('under RTP/SAVP with %s is refused, and never answered plain', (_, attribute) => {
    for (const srtp of ['off', 'optional', 'required'] as const) {
      const result = answerOffer(sdp('m=audio 4000 RTP/SAVP 0', attribute), local({ srtp }), PEER);
      expect(result).toMatchObject({ ok: false, status: 488 });
    }
  });
});

describe('SDES in our offer', () => {
  test('stands by policy: none, beside RTP/AVP, or under RTP/SAVP, with three suites', () => {
    expect(makeOffer(local({ srtp: 'off' }))).toBe(makeOffer(LOCAL));
    const optional = makeOffer(local({ srtp: 'optional' }));
    expect(optional).toContain('RTP/AVP');
    const required = makeOffer(local({ srtp: 'required' }));
    expect(required).toContain('RTP/SAVP');
    for (const offer of [optional, required]) expect(offer.match(/a=crypto:\d (\S+)/g)).toHaveLength(3);
  });

  test('is agreed on by an answer under the same tag', () => {
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

  test.each([
    ['plain', sdp('m=audio 4000 RTP/AVP 0')],
    ['without a key', sdp('m=audio 4000 RTP/SAVP 0')],
    ['under a tag that was not offered', sdp('m=audio 4000 RTP/SAVP 0', CRYPTO_80.replace('crypto:1', 'crypto:9'))],
    ['with the suite of another tag', sdp('m=audio 4000 RTP/SAVP 0', CRYPTO_80.replace('crypto:1', 'crypto:2'))],
  ])('that requires it is not met by an answer %s', (_, answer) => {
    expect(readAnswer(makeOffer(local({ srtp: 'required' })), answer, PEER)).toMatchObject({ ok: false });
  });

  test('as an option is met by a plain answer, which stays plain', () => {
    const reading = readAnswer(makeOffer(local({ srtp: 'optional' })), sdp('m=audio 4000 RTP/AVP 0'), PEER);
    expect(reading).toMatchObject({ ok: true });
    expect(reading.ok && reading.session.srtp).toBeUndefined();
  });

  test('repeated, keeps its keys and its version', () => {
    const offer = makeOffer(local({ srtp: 'required' }));
    expect(makeOffer({ ...local({ srtp: 'required' }), previous: offer })).toBe(offer);
  });
});

describe('the profiles with feedback', () => {
  const FEEDBACK = 'a=rtcp-fb:* nack';
  const PLAIN = sdp('m=audio 4000 RTP/AVPF 0', FEEDBACK);
  const SECURE = sdp('m=audio 4000 RTP/SAVPF 0', CRYPTO_80, FEEDBACK);

  test.each([
    ['RTP/AVPF', PLAIN, 'off'],
    ['RTP/SAVPF', SECURE, 'required'],
  ] as const)('%s is answered as it was offered, and no feedback is asked for', (profile, offer, srtp) => {
    const { answer, session } = accepted(offer, local({ srtp }));
    expect(answer).toContain(`m=audio 20000 ${profile} 0\r\n`);
    expect(answer).not.toContain('rtcp-fb');
    expect(session.srtp === undefined).toBe(srtp === 'off');
    const later = makeOffer({ ...local({ srtp }), previous: answer });
    expect(later).toContain(`m=audio 20000 ${profile} `);
    expect(readAnswer(later, offer, PEER)).toMatchObject({ ok: true });
  });

  test('need keys like those without it', () => {
    expect(answerOffer(SECURE, local({ srtp: 'off' }), PEER)).toMatchObject({ ok: false, status: 488 });
    expect(answerOffer(PLAIN, local({ srtp: 'required' }), PEER)).toMatchObject({ ok: false, status: 488 });
    const dtls = sdp('m=audio 4000 UDP/TLS/RTP/SAVPF 0', 'a=fingerprint:sha-256 00');
    expect(answerOffer(dtls, local({ srtp: 'optional' }), PEER)).toMatchObject({ ok: false, status: 488 });
  });
});

test('an offer that is refused is told beside what would have been taken', () => {
  const offer = sdp('m=audio 4000 RTP/SAVP 8 96', 'a=rtpmap:96 opus/48000/2', CRYPTO_80, 'm=video 0 RTP/AVP 97');
  expect(answerOffer(offer, local({ codecs: ['pcma'] }), PEER)).toEqual({
    ok: false,
    status: 488,
    reason:
      'no acceptable audio: offered audio RTP/SAVP pcma opus at 198.51.100.7, video RTP/AVP 97 at 198.51.100.7; here audio pcma at 192.0.2.10, srtp off',
  });
});
