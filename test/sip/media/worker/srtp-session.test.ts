import { describe, expect, it } from 'vitest';
import { SrtpSession } from '../../../../sip/media/worker/srtp-session.ts';
import { createSessionMemory } from '../../../../sip/media/worker-channel/session-memory.ts';
import { encodeRtpHeader } from '../../../../sip/rtp/packet/rtp-packet.ts';
import { masterKeyBytes, type SrtpParameters, type SrtpSuite } from '../../../../sip/rtp/srtp/srtp-suite.ts';

const SUITES: readonly SrtpSuite[] = ['AES_CM_128_HMAC_SHA1_80', 'AEAD_AES_128_GCM'];
const SSRC = 0xcafe;

function rtp(sequence: number): Uint8Array {
  const packet = new Uint8Array(172).fill(0x21, 12);
  encodeRtpHeader(packet, 0, false, sequence & 0xffff, sequence * 160, SSRC);
  return packet;
}

/** An empty receiver report. */
const REPORT = Uint8Array.of(0x80, 201, 0, 1, 0, 0, 0, 7);

/** Both ends of one call, with their initial keys. */
function call(suite: SrtpSuite) {
  const key = (seed: number) => new Uint8Array(masterKeyBytes(suite)).fill(seed);
  const [ourKey, peerKey] = [key(5), key(9)];
  const ours: SrtpParameters = { suite, localKey: ourKey, remoteKey: peerKey };
  const theirs: SrtpParameters = { suite, localKey: peerKey, remoteKey: ourKey };
  const [us, peer] = [ours, theirs].map((parameters) => {
    const security = new SrtpSession(createSessionMemory().control);
    security.configure(parameters);
    return security;
  });
  if (us === undefined || peer === undefined) throw new Error('no call');
  const crosses = (from: SrtpSession, to: SrtpSession, sequence: number) => {
    const packet = from.protect(rtp(sequence))?.slice();
    return packet !== undefined && to.unprotect(packet) !== null;
  };
  return { us, peer, ours, theirs, key, crosses };
}

describe.each(SUITES)('SRTP session with %s', (suite) => {
  it('continues our direction when only the peer changes its key', () => {
    const { us, peer, ours, theirs, key, crosses } = call(suite);
    for (let sequence = 65_534; sequence < 65_538; sequence++) expect(crosses(us, peer, sequence)).toBe(true);
    const report = us.protectRtcp(REPORT);
    us.configure({ ...ours, remoteKey: key(77) });
    peer.configure({ ...theirs, localKey: key(77) });
    expect(crosses(us, peer, 65_538)).toBe(true);
    expect(us.protectRtcp(REPORT)).not.toEqual(report);
    expect(crosses(peer, us, 1)).toBe(true);
  });

  it('continues the peer’s direction when only our key changes', () => {
    const { us, peer, ours, theirs, key, crosses } = call(suite);
    for (let sequence = 65_534; sequence < 65_538; sequence++) expect(crosses(peer, us, sequence)).toBe(true);
    us.configure({ ...ours, localKey: key(77) });
    peer.configure({ ...theirs, remoteKey: key(77) });
    expect(crosses(peer, us, 65_538)).toBe(true);
    expect(crosses(us, peer, 1)).toBe(true);
  });

  it('continues when the same keys return after plain RTP', () => {
    const { us, peer, ours, crosses } = call(suite);
    for (let sequence = 65_534; sequence < 65_538; sequence++) expect(crosses(us, peer, sequence)).toBe(true);
    us.configure(undefined);
    expect(us.protect(rtp(65_538))).toEqual(rtp(65_538));
    expect(us.unprotect(rtp(1))).toEqual(rtp(1));
    us.configure(ours);
    expect(crosses(us, peer, 65_539)).toBe(true);
  });
});
