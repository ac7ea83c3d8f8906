import { describe, expect, test } from 'vitest';
import { MULAW, mediaHarness, openLeg } from './media-harness.ts';
import { voicedBytes } from './rtp-peer.ts';

const { peer, connectedCall } = mediaHarness(21000);

describe('playout on the wire', () => {
  test('pause stops it before the next packet, resume goes on at the very sample, and every sample is heard once', async () => {
    const { leg, caller, event } = await connectedCall();
    const audio = Uint8Array.from({ length: 8000 }, (_, i) => i % 200);
    leg.play(3, 0, MULAW, audio);
    leg.endSegment(3, 0);
    await caller.until(() => voicedBytes(caller.audio()) >= 1600);
    leg.pause();
    const paused = await event('paused');
    if (paused.type !== 'paused') throw new Error('no pause');
    const { playedMs } = paused;
    await caller.until(() => voicedBytes(caller.audio()) === playedMs * 8);
    await caller.more(5);
    expect(voicedBytes(caller.audio())).toBe(playedMs * 8);
    leg.resume();
    await event('segment_ended');
    await caller.until(() => voicedBytes(caller.audio()) === 8000);
    expect(Uint8Array.from(caller.audio().filter((code) => code !== 0xff))).toEqual(audio);
  });

  test('clear cuts at a sample that is told exactly, and nothing of that utterance follows', async () => {
    const { leg, caller, event, events } = await connectedCall();
    leg.play(1, 0, MULAW, new Uint8Array(40_000).fill(1));
    leg.endSegment(1, 0);
    await caller.until(() => voicedBytes(caller.audio()) >= 800);
    leg.clear(1);
    leg.play(1, 1, MULAW, new Uint8Array(800).fill(1));
    leg.play(2, 0, MULAW, new Uint8Array(800).fill(2));
    leg.endSegment(2, 0);
    const cleared = await event('cleared');
    await event('segment_ended');
    await caller.until(() => caller.audio().filter((code) => code === 2).length === 800);
    await caller.more(3);
    expect(cleared).toEqual({
      type: 'cleared',
      utterance: 1,
      playedMs: caller.audio().filter((code) => code === 1).length / 8,
    });
    expect(events.filter((one) => one.type === 'segment_ended')).toEqual([
      { type: 'segment_ended', utterance: 2, segment: 0, playedMs: 100 },
    ]);
  });

  test('a full queue refuses, and tells when there is room', async () => {
    const { leg, event } = await connectedCall();
    const drained = new Promise<void>((resolve) => leg.onDrained(resolve));
    expect(leg.play(1, 0, MULAW, new Uint8Array(67_000))).toBe(true);
    expect(leg.play(1, 0, MULAW, new Uint8Array(10))).toBe(false);
    leg.clear(1);
    await event('cleared');
    await drained;
    expect(leg.play(2, 0, MULAW, new Uint8Array(10))).toBe(true);
  });

  test.each(['inactive', 'recvonly'] as const)(
    'nothing is sent while the session is %s; the queue waits',
    async (direction) => {
      const { plane, leg, caller, event } = await connectedCall();
      await caller.more(2);
      leg.configure(caller.session({ direction }));
      leg.play(0, 0, MULAW, new Uint8Array(160).fill(5));
      leg.pause();
      await event('paused');
      const other = await openLeg(plane);
      const witness = await peer();
      other.leg.configure(witness.session());
      await witness.more(1);
      const count = caller.packets.length;
      await witness.more(10);
      expect(caller.packets).toHaveLength(count);
      leg.resume();
      leg.configure(caller.session());
      const before = caller.packets.length;
      await caller.until(() => voicedBytes(caller.audio()) === 160);
      expect(caller.packets[before]).toMatchObject({ marker: true });
    },
  );
});
