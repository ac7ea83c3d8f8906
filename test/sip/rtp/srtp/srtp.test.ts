import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeRtpHeader } from '../../../../sip/rtp/packet/rtp-packet.ts';
import { AesCmCipher } from '../../../../sip/rtp/srtp/aes-cm-cipher.ts';
import { AesGcmCipher } from '../../../../sip/rtp/srtp/aes-gcm-cipher.ts';
import { createPacketCipher } from '../../../../sip/rtp/srtp/create-cipher.ts';
import { derive, deriveSessionKeys } from '../../../../sip/rtp/srtp/key-derivation.ts';
import { SrtcpReceiver, SrtcpSender } from '../../../../sip/rtp/srtp/srtcp-stream.ts';
import { SrtpReceiver, SrtpSender } from '../../../../sip/rtp/srtp/srtp-stream.ts';
import { masterKeyBytes, SRTP_SUITES, type SrtpSuite } from '../../../../sip/rtp/srtp/srtp-suite.ts';

const SUITES: readonly SrtpSuite[] = ['AES_CM_128_HMAC_SHA1_80', 'AES_CM_128_HMAC_SHA1_32', 'AEAD_AES_128_GCM'];

function bytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.replaceAll(/\s/g, ''), 'hex'));
}

function hex(value: Uint8Array | null): string | null {
  return value === null ? null : Buffer.from(value).toString('hex');
}

function masterKey(suite: SrtpSuite, seed = 1): Uint8Array {
  return Uint8Array.from({ length: masterKeyBytes(suite) }, (_, i) => (i * 31 + seed) & 0xff);
}

function sender(suite: SrtpSuite, seed = 1): SrtpSender {
  return new SrtpSender(createPacketCipher(suite, masterKey(suite, seed), 'rtp'), SRTP_SUITES[suite].tagBytes);
}

function receiver(
  suite: SrtpSuite,
  startAt: number | null = null,
  onRollOver?: (rollOver: number) => void,
): SrtpReceiver {
  const { tagBytes } = SRTP_SUITES[suite];
  return new SrtpReceiver(createPacketCipher(suite, masterKey(suite), 'rtp'), tagBytes, startAt, onRollOver);
}

function rtp(sequence: number, ssrc = 0xcafe_babe): Uint8Array {
  const packet = new Uint8Array(172).fill(sequence & 0xff);
  encodeRtpHeader(packet, 0, false, sequence & 0xffff, sequence * 160, ssrc);
  return packet;
}

/** A copy of the protected packet. */
function protectedPacket(from: SrtpSender, sequence: number, ssrc?: number): Uint8Array {
  const packet = from.protect(rtp(sequence, ssrc));
  if (packet === null) throw new Error('not protected');
  return packet.slice();
}

describe('test vectors', () => {
  it('AES in counter mode has the key stream of RFC 3711 B.2', () => {
    const encryption = bytes('2B7E151628AED2A6ABF7158809CF4F3C');
    const salt = bytes('F0F1F2F3F4F5F6F7F8F9FAFBFCFD');
    const cipher = new AesCmCipher({ encryption, salt, authentication: new Uint8Array(20) }, 10);
    expect(hex(cipher.keyStream(0, 0, 48))).toBe(
      'e03ead0935c95e80e166b16dd92b4eb4d23513162b02d0f72a43a2fe4a5f97ab41e95b3bb0a2e8dd477901e4fca894c0',
    );
  });

  it('session keys match RFC 3711 B.3', () => {
    const key = bytes('E1F97A0D3E018BE0D64FA32C06DE4139');
    const salt = bytes('0EC675AD498AFEEBB6960B3AABE6');
    const keys = deriveSessionKeys('AES_CM_128_HMAC_SHA1_80', Uint8Array.of(...key, ...salt), 'rtp');
    expect(hex(keys.encryption)).toBe('c61e7a93744f39ee10734afe3ff7a087');
    expect(hex(keys.salt)).toBe('30cbbc08863d8c85d49db34a9ae1');
    expect(hex(keys.authentication)).toBe('cebe321f6ff7716b6fd4ab49af256a156d38baa4');
    expect(hex(derive(key, salt, 1, 94))).toBe(
      'cebe321f6ff7716b6fd4ab49af256a156d38baa48f0a0acf3c34e2359e6cdbcee049646c43d9327ad175578ef72270986371c10c9a369a' +
        'c2f94a8c5fbcdddc256d6e919a48b610ef17c2041e474035766b68642c59bbfc2f34db60dbdfb2',
    );
  });

  it("AES-CM with HMAC-SHA1-80 protects the packet of libsrtp's own test", () => {
    const key = bytes('e1f97a0d3e018be0d64fa32c06de41390ec675ad498afeebb6960b3aabe6');
    const srtpSender = new SrtpSender(createPacketCipher('AES_CM_128_HMAC_SHA1_80', key, 'rtp'), 10);
    expect(hex(srtpSender.protect(bytes(`800f1234decafbadcafebabe${'ab'.repeat(16)}`)))).toBe(
      '800f1234decafbadcafebabe4e55dc4ce79978d88ca4d215949d2402b78d6acc99ea179b8dbb',
    );
  });

  const GCM = { encryption: bytes('000102030405060708090a0b0c0d0e0f'), salt: bytes('517569642070726f2071756f') };

  it('GCM protects and unprotects the RTP packet of RFC 7714 §16.1', () => {
    const plain =
      '8040f17b8041f8d35501a0b247616c6c696120657374206f6d6e69732064697669736120696e207061727465732074726573';
    const packet =
      '8040f17b8041f8d35501a0b2f24de3a3fb34de6cacba861c9d7e4bcabe633bd50d294e6f42a5f47a51c7d19b36de3adf8833' +
      '899d7f27beb16a9152cf765ee4390cce';
    expect(hex(new SrtpSender(new AesGcmCipher(GCM, 'rtp'), 16).protect(bytes(plain)))).toBe(packet);
    const received = bytes(packet);
    const length = new SrtpReceiver(new AesGcmCipher(GCM, 'rtp'), 16).unprotect(received);
    expect(hex(received.subarray(0, length))).toBe(plain);
  });

  it('GCM unprotects the RTCP packet of RFC 7714 §17.1', () => {
    const packet = bytes(
      '81c8000d4d61727363e94885dcdab67ca727d7662f6b7e997ff5c0f76c06f32dc676a5f1730d6fda4ce09b4686303ded0bb9275b' +
        'c84aa45896cf4d2fc5abf87245d9eade800005d4',
    );
    const length = new SrtcpReceiver(new AesGcmCipher(GCM, 'rtcp'), { tagBytes: 16, tagFirst: true }).unprotect(packet);
    expect(hex(packet.subarray(0, length))).toBe(
      '81c8000d4d6172734e5450314e545032525450200000042a0000e9304c756e61deadbeefdeadbeefdeadbeefdeadbeefdeadbeef',
    );
  });
});

describe.each(SUITES)('SRTP with %s', (suite) => {
  it('encrypts the payload, leaves the header readable, and restores the packet', () => {
    const [from, to] = [sender(suite), receiver(suite)];
    for (let sequence = 1; sequence < 50; sequence++) {
      const packet = protectedPacket(from, sequence);
      expect(packet).toHaveLength(172 + SRTP_SUITES[suite].tagBytes);
      expect(packet.subarray(0, 12)).toEqual(rtp(sequence).subarray(0, 12));
      expect(packet.subarray(12, 172)).not.toEqual(rtp(sequence).subarray(12));
      expect(to.unprotect(packet)).toBe(172);
      expect(packet.subarray(0, 172)).toEqual(rtp(sequence));
    }
  });

  it('accepts reordered packets with losses over the wrap of the sequence number', () => {
    const rollOvers: number[] = [];
    const [from, to] = [sender(suite), receiver(suite, null, (rollOver) => rollOvers.push(rollOver))];
    const packets = new Map<number, Uint8Array>();
    for (let sequence = 65_500; sequence < 65_580; sequence++) packets.set(sequence, protectedPacket(from, sequence));
    const order = [...packets.keys()].filter((sequence) => sequence % 7 !== 3);
    for (let i = 0; i + 3 < order.length; i += 4) order.splice(i, 4, ...order.slice(i, i + 4).toReversed());
    for (const sequence of order) {
      const packet = packets.get(sequence) ?? new Uint8Array(0);
      expect(to.unprotect(packet), `${sequence}`).toBe(172);
      expect(packet.subarray(0, 172)).toEqual(rtp(sequence));
    }
    expect(rollOvers).toEqual([0, 1]);
    expect(to).toMatchObject({ forged: 0, replayed: 0 });
  });

  it('rejects replayed packets, and packets older than the replay window', () => {
    const [from, to] = [sender(suite), receiver(suite)];
    const old = protectedPacket(from, 1);
    const replayed = protectedPacket(from, 2);
    expect(to.unprotect(replayed.slice())).toBe(172);
    expect(to.unprotect(replayed.slice())).toBe(0);
    for (let sequence = 3; sequence < 200; sequence++) to.unprotect(protectedPacket(from, sequence));
    expect(to.unprotect(replayed.slice())).toBe(0);
    expect(to.unprotect(old)).toBe(0);
    expect(to).toMatchObject({ forged: 0, replayed: 3 });
  });

  it('rejects a packet with one changed bit, and accepts the unchanged one afterwards', () => {
    const from = sender(suite);
    const packets = [1, 2, 3].map((sequence) => protectedPacket(from, sequence));
    const [first = new Uint8Array(0), second = new Uint8Array(0), third = new Uint8Array(0)] = packets;
    fc.assert(
      fc.property(fc.nat(second.length * 8 - 1), (bit) => {
        const to = receiver(suite);
        expect(to.unprotect(first.slice())).toBe(172);
        const changed = second.slice();
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(to.unprotect(changed)).toBe(0);
        expect(to.unprotect(second.slice())).toBe(172);
        expect(to.unprotect(third.slice())).toBe(172);
      }),
      { numRuns: 200 },
    );
  });

  it('rejects packets of another key, and plain packets', () => {
    const to = receiver(suite);
    expect(to.unprotect(protectedPacket(sender(suite, 2), 1))).toBe(0);
    expect(to.unprotect(rtp(1))).toBe(0);
    expect(to.unprotect(new Uint8Array(0))).toBe(0);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1600 }), (noise) => {
        expect(to.unprotect(noise)).toBe(0);
      }),
    );
  });

  it('counts roll-overs per source, and continues from a stored counter', () => {
    const from = sender(suite);
    const to = receiver(suite);
    for (const sequence of [65_534, 65_535, 65_536, 65_537])
      expect(to.unprotect(protectedPacket(from, sequence))).toBe(172);
    expect(to.unprotect(protectedPacket(sender(suite), 9, 7))).toBe(172);
    expect(receiver(suite).unprotect(protectedPacket(from, 65_540))).toBe(0);
    const successor = receiver(suite, 1);
    expect(successor.unprotect(protectedPacket(from, 65_541))).toBe(172);
    expect(successor.unprotect(protectedPacket(sender(suite), 9, 7))).toBe(172);
  });

  it.each([0, 1])('accepts a sequence number that wrapped after the stored counter %i', (rollOver) => {
    const from = sender(suite);
    const wrap = (rollOver + 1) * 65_536;
    for (let sequence = 65_500; sequence < wrap; sequence += 100) protectedPacket(from, sequence);
    const rollOvers: number[] = [];
    const successor = receiver(suite, rollOver, (counter) => rollOvers.push(counter));
    expect(successor.unprotect(protectedPacket(from, wrap + 10))).toBe(172);
    expect(rollOvers).toEqual([rollOver + 1]);
  });
});

describe.each(SUITES)('SRTCP with %s', (suite) => {
  const { rtcpTagBytes } = SRTP_SUITES[suite];
  const layout = { tagBytes: rtcpTagBytes, tagFirst: suite === 'AEAD_AES_128_GCM' };
  const report = bytes(`81c90007cafebabe${'11'.repeat(24)}`);

  it('encrypts all but the first eight bytes, restores the packet, and rejects a replay', () => {
    const from = new SrtcpSender(createPacketCipher(suite, masterKey(suite), 'rtcp'), layout);
    const to = new SrtcpReceiver(createPacketCipher(suite, masterKey(suite), 'rtcp'), layout);
    for (let i = 0; i < 3; i++) {
      const packet = from.protect(report);
      expect(packet).toHaveLength(report.length + 4 + rtcpTagBytes);
      expect(packet.subarray(0, 8)).toEqual(report.subarray(0, 8));
      expect(packet.subarray(8, report.length)).not.toEqual(report.subarray(8));
      const again = packet.slice();
      expect(to.unprotect(packet)).toBe(report.length);
      expect(packet.subarray(0, report.length)).toEqual(report);
      expect(to.unprotect(again)).toBe(0);
    }
  });

  it('rejects plain packets and random bytes', () => {
    const to = new SrtcpReceiver(createPacketCipher(suite, masterKey(suite), 'rtcp'), layout);
    expect(to.unprotect(report.slice())).toBe(0);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
        expect(to.unprotect(noise)).toBe(0);
      }),
    );
  });
});

it('createPacketCipher throws for a key of the wrong length', () => {
  expect(() => createPacketCipher('AEAD_AES_128_GCM', new Uint8Array(30), 'rtp')).toThrow(RangeError);
});
