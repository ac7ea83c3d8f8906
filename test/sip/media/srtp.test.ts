import { describe, expect, it } from 'vitest';
import { encodeRtpHeader, RTP_HEADER_BYTES } from '../../../sip/rtp/packet/rtp-packet.ts';
import { createPacketCipher } from '../../../sip/rtp/srtp/create-cipher.ts';
import { SrtpReceiver, SrtpSender } from '../../../sip/rtp/srtp/srtp-stream.ts';
import { masterKeyBytes, SRTP_SUITES, type SrtpSuite } from '../../../sip/rtp/srtp/srtp-suite.ts';
import type { RtpPeer } from '../../rtp-peer/rtp-peer.ts';
import { terminateThread } from '../../worker-threads.ts';
import { listen, MULAW, mediaHarness, openSession, workerCaughtUp } from './media-harness.ts';

const { startMediaService, peer } = mediaHarness(14_000);
const SUITES: readonly SrtpSuite[] = ['AES_CM_128_HMAC_SHA1_80', 'AES_CM_128_HMAC_SHA1_32', 'AEAD_AES_128_GCM'];

async function secureCall(suite: SrtpSuite) {
  const [ours, theirs] = [5, 9].map((seed) => new Uint8Array(masterKeyBytes(suite)).fill(seed));
  if (ours === undefined || theirs === undefined) throw new Error('no keys');
  const { tagBytes } = SRTP_SUITES[suite];
  const mediaService = startMediaService();
  const [caller, opened] = await Promise.all([peer(), openSession(mediaService)]);
  const parameters = caller.session({ srtp: { suite, localKey: ours, remoteKey: theirs } });
  opened.session.configure(parameters);
  await workerCaughtUp(mediaService);
  const sender = new SrtpSender(createPacketCipher(suite, theirs, 'rtp'), tagBytes);
  const receiver = new SrtpReceiver(createPacketCipher(suite, ours, 'rtp'), tagBytes);
  return { mediaService, caller, parameters, sender, receiver, ...opened };
}

function plain(caller: RtpPeer, code: number): Uint8Array {
  const packet = new Uint8Array(RTP_HEADER_BYTES + 160).fill(code, RTP_HEADER_BYTES);
  encodeRtpHeader(packet, 0, false, caller.sequence, caller.timestamp, caller.ssrc);
  caller.sequence++;
  caller.timestamp += 160;
  return packet;
}

async function sendProtected(caller: RtpPeer, port: number, sender: SrtpSender, code: number): Promise<void> {
  await caller.sendRaw(port, sender.protect(plain(caller, code)) ?? new Uint8Array(0));
}

/** The decrypted payloads that the caller received, each authenticated. */
function decryptedAudio(caller: RtpPeer, receiver: SrtpReceiver, tagBytes: number): Uint8Array {
  const payloads = caller.packets.map(({ payloadType, marker, sequence, timestamp, ssrc, payload }) => {
    const packet = new Uint8Array(RTP_HEADER_BYTES + payload.length);
    encodeRtpHeader(packet, payloadType, marker, sequence, timestamp, ssrc);
    packet.set(payload, RTP_HEADER_BYTES);
    expect(receiver.unprotect(packet)).toBe(packet.length - tagBytes);
    return packet.subarray(RTP_HEADER_BYTES, packet.length - tagBytes);
  });
  return Buffer.concat(payloads);
}

describe.each(SUITES)('call with %s', (suite) => {
  it('encrypts audio both ways from the first packet on', async () => {
    const { session, caller, sender, receiver, event } = await secureCall(suite);
    const heard = listen(session);
    session.audio.play(0, 0, MULAW, new Uint8Array(1600).fill(0x21));
    session.audio.endSegment(0, 0);
    for (let i = 0; i < 10; i++) await sendProtected(caller, session.port, sender, i);
    await heard.until(1600);
    await event('segment_ended');
    await caller.more(2);
    expect(heard.all()).toEqual(Uint8Array.from({ length: 1600 }, (_, i) => Math.floor(i / 160)));
    const { tagBytes } = SRTP_SUITES[suite];
    expect(caller.audio().filter((code) => code === 0x21).length).toBeLessThan(160);
    const audio = decryptedAudio(caller, receiver, tagBytes);
    expect(audio.filter((code) => code === 0x21)).toHaveLength(1600);
  });
});

it('an encrypted call ignores plain, forged and replayed packets, and they do not move the latch', async () => {
  const { mediaService, session, caller, sender } = await secureCall('AES_CM_128_HMAC_SHA1_80');
  const heard = listen(session);
  const unknownSource = await peer();
  await unknownSource.sendRaw(session.port, plain(unknownSource, 0x66));
  await caller.sendRaw(session.port, plain(caller, 0x66));
  const once = sender.protect(plain(caller, 1))?.slice() ?? new Uint8Array(0);
  await caller.sendRaw(session.port, once);
  await caller.sendRaw(session.port, once);
  await sendProtected(caller, session.port, sender, 2);
  await heard.until(320);
  while ((await mediaService.statistics()).packetsDropped < 3) await caller.more(1);
  expect(new Set(heard.all())).toEqual(new Set([1, 2]));
  expect(heard.all()).toHaveLength(320);
  expect(unknownSource.packets).toEqual([]);
});

it('SRTP continues after a new SDP with the same keys, and in the next worker', async () => {
  const { mediaService, session, caller, parameters, sender, receiver } = await secureCall('AES_CM_128_HMAC_SHA1_80');
  const heard = listen(session);
  caller.sequence = 65_534;
  for (let i = 0; i < 4; i++) {
    await sendProtected(caller, session.port, sender, i);
    caller.sequence &= 0xffff;
  }
  await heard.until(640);
  session.configure({ ...parameters, direction: 'sendonly' });
  session.configure(parameters);
  await sendProtected(caller, session.port, sender, 4);
  await heard.until(800);
  await terminateThread(mediaService.workers[0]?.threadId);
  const before = caller.packets.length;
  await caller.until(() => caller.packets.length > before + 5);
  await sendProtected(caller, session.port, sender, 5);
  await heard.until(960);
  expect(heard.all()[959]).toBe(5);
  expect(decryptedAudio(caller, receiver, 10).length).toBe(caller.packets.length * 160);
});

it('SRTP continues if the sequence number wraps while no worker runs', async () => {
  const { mediaService, session, caller, sender } = await secureCall('AES_CM_128_HMAC_SHA1_80');
  const heard = listen(session);
  caller.sequence = 65_534;
  await sendProtected(caller, session.port, sender, 1);
  await heard.until(160);
  const ssrc = caller.packets[0]?.ssrc;
  await terminateThread(mediaService.workers[0]?.threadId);
  sender.protect(plain(caller, 2));
  caller.sequence &= 0xffff;
  await caller.until(() => caller.packets.at(-1)?.ssrc !== ssrc);
  await sendProtected(caller, session.port, sender, 3);
  await heard.until(320);
  expect(heard.all()[319]).toBe(3);
});
