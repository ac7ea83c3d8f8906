import { describe, expect, it } from 'vitest';
import {
  checkSource,
  createPeerAddressLatch,
  isNamedSourceLatched,
  openLatch,
  type PeerAddressLatch,
} from '../../../../sip/rtp/reception/peer-address-latch.ts';

const PEER = '198.51.100.7';
const SIP_SOURCE = '203.0.113.9';

function latched(): PeerAddressLatch {
  const latch = createPeerAddressLatch();
  openLatch(latch, [PEER, SIP_SOURCE], 4000);
  expect(checkSource(latch, PEER, 4000, 7, 100, 1000)).toBe('latched');
  return latch;
}

describe('symmetric RTP', () => {
  it('drops all packets before the first SDP', () => {
    expect(checkSource(createPeerAddressLatch(), PEER, 4000, 7, 100, 0)).toBe('dropped');
  });

  it('latches the source of the first packet from an allowed address, at any port', () => {
    const latch = createPeerAddressLatch();
    openLatch(latch, [PEER, SIP_SOURCE], 4000);
    expect(checkSource(latch, '192.0.2.66', 4000, 7, 100, 0)).toBe('dropped');
    expect(checkSource(latch, SIP_SOURCE, 61_234, 7, 100, 0)).toBe('latched');
    expect(latch).toMatchObject({ address: SIP_SOURCE, port: 61_234, dropped: 1 });
  });

  it('accepts the latched source, even with another SSRC', () => {
    const latch = latched();
    expect(checkSource(latch, PEER, 4000, 7, 101, 1020)).toBe('accepted');
    expect(checkSource(latch, PEER, 4000, 8, 5, 1040)).toBe('accepted');
  });

  it('moves to another allowed source if the same stream continues there after 500 ms of silence', () => {
    const latch = latched();
    expect(checkSource(latch, SIP_SOURCE, 4002, 7, 126, 1500)).toBe('latched');
    expect(checkSource(latch, PEER, 4004, 7, 127, 1520)).toBe('dropped');
    expect(checkSource(latch, SIP_SOURCE, 4002, 7, 127, 1520)).toBe('accepted');
  });

  it.each([
    ['before 500 ms of silence', SIP_SOURCE, 7, 101, 1499],
    ['with another SSRC', SIP_SOURCE, 8, 126, 1600],
    ['with an earlier sequence number', SIP_SOURCE, 7, 99, 1600],
    ['with the same sequence number', SIP_SOURCE, 7, 100, 1600],
    ['too far ahead of the stream', SIP_SOURCE, 7, 3101, 1600],
    ['to an address that is not allowed', '192.0.2.66', 7, 126, 1600],
  ])('does not move %s', (_name, address, ssrc, sequence, nowMs) => {
    const latch = latched();
    expect(checkSource(latch, address, 4002, ssrc, sequence, nowMs)).toBe('dropped');
    expect(latch).toMatchObject({ address: PEER, port: 4000, dropped: 1 });
  });

  it('moves at any time to the source that SDP names, and does not go back', () => {
    const latch = createPeerAddressLatch();
    openLatch(latch, [PEER], 4000);
    expect(checkSource(latch, PEER, 5000, 9, 1, 0)).toBe('latched');
    expect(isNamedSourceLatched(latch)).toBe(false);
    expect(checkSource(latch, PEER, 4000, 7, 100, 30_000)).toBe('latched');
    expect(isNamedSourceLatched(latch)).toBe(true);
    expect(checkSource(latch, PEER, 5000, 9, 2, 30_020)).toBe('dropped');
    expect(checkSource(latch, PEER, 5000, 9, 3, 90_000)).toBe('dropped');
  });

  it('latches again after a new SDP, and drops sources that only the old SDP allowed', () => {
    const latch = latched();
    openLatch(latch, ['198.51.100.8'], 5000);
    expect(checkSource(latch, PEER, 4000, 7, 101, 1020)).toBe('dropped');
    expect(checkSource(latch, '198.51.100.8', 5000, 9, 1, 1020)).toBe('latched');
  });
});
