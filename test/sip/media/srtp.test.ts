import { describe, expect, test } from 'vitest';
import { encodeRtpHeader, RTP_HEADER_BYTES } from '../../../sip/rtp/packet/rtp-packet.ts';
import { createPacketCipher } from '../../../sip/rtp/srtp/create-cipher.ts';
import { SrtpReceiver, SrtpSender } from '../../../sip/rtp/srtp/srtp-stream.ts';
import { masterKeyBytes, SRTP_SUITES, type SrtpSuite } from '../../../sip/rtp/srtp/srtp-suite.ts';
import type { RtpPeer } from '../../rtp-peer/rtp-peer.ts';
import { listen, MULAW, mediaHarness, openLeg } from './media-harness.ts';

const { startMediaService, peer } = mediaHarness(28_000);
const SUITES: readonly SrtpSuite[] = ['AES_CM_128_HMAC_SHA1_80', 'AES_CM_128_HMAC_SHA1_32', 'AEAD_AES_128_GCM'];

async function secureCall(suite: SrtpSuite) {
  const [ours, theirs] = [5, 9].map((seed) => new Uint8Array(masterKeyBytes(suite)).fill(seed));
  if (ours === undefined || theirs === undefined) throw new Error('no keys');
  const { tagBytes } = SRTP_SUITES[suite];
  const mediaService = startMediaService();
  const [caller, opened] = await Promise.all([peer(), openLeg(mediaService)]);
  const session = caller.session({ srtp: { suite, localKey: ours, remoteKey: theirs } });
  opened.leg.configure(session);
  const sender = new SrtpSender(createPacketCipher(suite, theirs, 'rtp'), tagBytes);
  const receiver = new SrtpReceiver(createPacketCipher(suite, ours, 'rtp'), tagBytes);
  return { mediaService, caller, session, sender, receiver, ...opened };
}

function plain(caller: RtpPeer, code: number): Uint8Array {
  const packet = new Uint8Array(RTP_HEADER_BYTES + 160).fill(code, RTP_HEADER_BYTES);
  encodeRtpHeader(packet, 0, false, caller.sequence, caller.timestamp, caller.ssrc);
  caller.sequence++;
  caller.timestamp += 160;
  return packet;
}

async function say(caller: RtpPeer, port: number, sender: SrtpSender, code: number): Promise<void> {
  await caller.sendRaw(port, sender.protect(plain(caller, code)) ?? new Uint8Array(0));
}

/** The payloads that the caller received, each authenticated. */
function opened(caller: RtpPeer, receiver: SrtpReceiver, tagBytes: number): Uint8Array {
  const payloads = caller.packets.map(({ payloadType, marker, sequence, timestamp, ssrc, payload }) => {
    const packet = new Uint8Array(RTP_HEADER_BYTES + payload.length);
    encodeRtpHeader(packet, payloadType, marker, sequence, timestamp, ssrc);
    packet.set(payload, RTP_HEADER_BYTES);
    expect(receiver.unprotect(packet)).toBe(packet.length - tagBytes);
    return packet.subarray(RTP_HEADER_BYTES, packet.length - tagBytes);
  });
  return Buffer.concat(payloads);
}

describe.each(SUITES)('a call under %s', (suite) => {
  test('is heard and speaks, both ways encrypted, from the first packet on', async () => {
    const { leg, caller, sender, receiver, event } = await secureCall(suite);
    const heard = listen(leg);
    leg.audio.play(0, 0, MULAW, new Uint8Array(1600).fill(0x21));
    leg.audio.endSegment(0, 0);
    for (let i = 0; i < 10; i++) await say(caller, leg.port, sender, i);
    await heard.until(1600);
    await event('segment_ended');
    await caller.more(2);
    expect(heard.all()).toEqual(Uint8Array.from({ length: 1600 }, (_, i) => Math.floor(i / 160)));
    const { tagBytes } = SRTP_SUITES[suite];
    expect(caller.audio().filter((code) => code === 0x21).length).toBeLessThan(160);
    const audio = opened(caller, receiver, tagBytes);
    expect(audio.filter((code) => code === 0x21)).toHaveLength(1600);
  });
});

test('what is plain, forged or replayed on an encrypted call is not heard, and does not move the latch', async () => {
  const { mediaService, leg, caller, sender } = await secureCall('AES_CM_128_HMAC_SHA1_80');
  const heard = listen(leg);
  const unknownSource = await peer();
  await unknownSource.sendRaw(leg.port, plain(unknownSource, 0x66));
  await caller.sendRaw(leg.port, plain(caller, 0x66));
  const once = sender.protect(plain(caller, 1))?.slice() ?? new Uint8Array(0);
  await caller.sendRaw(leg.port, once);
  await caller.sendRaw(leg.port, once);
  await say(caller, leg.port, sender, 2);
  await heard.until(320);
  while ((await mediaService.statistics()).packetsDropped < 3) await caller.more(1);
  expect(new Set(heard.all())).toEqual(new Set([1, 2]));
  expect(heard.all()).toHaveLength(320);
  expect(unknownSource.packets).toEqual([]);
});

test('the same keys in a new SDP go on where they were; the call of a dead worker goes on too', async () => {
  const { mediaService, leg, caller, session, sender, receiver } = await secureCall('AES_CM_128_HMAC_SHA1_80');
  const heard = listen(leg);
  caller.sequence = 65_534;
  for (let i = 0; i < 4; i++) {
    await say(caller, leg.port, sender, i);
    caller.sequence &= 0xffff;
  }
  await heard.until(640);
  leg.configure({ ...session, direction: 'sendonly' });
  leg.configure(session);
  await say(caller, leg.port, sender, 4);
  await heard.until(800);
  await mediaService.workers[0]?.kill();
  const before = caller.packets.length;
  await caller.until(() => caller.packets.length > before + 5);
  await say(caller, leg.port, sender, 5);
  await heard.until(960);
  expect(heard.all()[959]).toBe(5);
  expect(opened(caller, receiver, 10).length).toBe(caller.packets.length * 160);
});

test('a caller whose sequence numbers wrap while no worker lives is heard by the next one', async () => {
  const { mediaService, leg, caller, sender } = await secureCall('AES_CM_128_HMAC_SHA1_80');
  const heard = listen(leg);
  caller.sequence = 65_534;
  await say(caller, leg.port, sender, 1);
  await heard.until(160);
  const ssrc = caller.packets[0]?.ssrc;
  await mediaService.workers[0]?.kill();
  sender.protect(plain(caller, 2));
  caller.sequence &= 0xffff;
  await caller.until(() => caller.packets.at(-1)?.ssrc !== ssrc);
  await say(caller, leg.port, sender, 3);
  await heard.until(320);
  expect(heard.all()[319]).toBe(3);
});
