import { describe, expect, test } from 'vitest';
import { voicedBytes } from '../../rtp-peer/rtp-peer.ts';
import { mediaContract } from './media-contract.ts';
import { MULAW, mediaHarness, openLeg } from './media-harness.ts';

const { startMediaService, peer, connectedCall } = mediaHarness(21000);

describe('the media of a phone call', () => {
  mediaContract(async (changes) => {
    const { caller, ...rig } = await connectedCall(changes);
    return {
      ...rig,
      heard: () => caller.audio(),
      until: (holds) => caller.until(holds),
      say: async (audio) => {
        for (let at = 0; at < audio.length; at += 160) {
          const next = caller.more(1);
          await caller.send(rig.leg.port, audio.subarray(at, at + 160));
          await next;
        }
      },
    };
  });

  test.each(['inactive', 'recvonly'] as const)(
    'nothing is sent while the session is %s; the queue waits',
    async (direction) => {
      const { mediaService, leg, caller, event } = await connectedCall();
      await caller.more(2);
      leg.configure(caller.session({ direction }));
      leg.audio.play(0, 0, MULAW, new Uint8Array(160).fill(5));
      leg.audio.pause();
      await event('paused');
      const other = await openLeg(mediaService);
      const witness = await peer();
      other.leg.configure(witness.session());
      await witness.more(1);
      const count = caller.packets.length;
      await witness.more(10);
      expect(caller.packets).toHaveLength(count);
      leg.audio.resume();
      leg.configure(caller.session());
      const before = caller.packets.length;
      await caller.until(() => voicedBytes(caller.audio()) === 160);
      expect(caller.packets[before]).toMatchObject({ marker: true });
    },
  );

  test('a peer that is awaited is told once its packets come, and then hears the queue from its first sample', async () => {
    const mediaService = startMediaService();
    const [caller, { leg, events }] = await Promise.all([peer(), openLeg(mediaService)]);
    const heard = new Promise<void>((resolve) => leg.onSourceVerified(resolve));
    const speech = Uint8Array.from({ length: 800 }, (_, i) => 1 + (i % 100));
    leg.configure(caller.session({ sourceUnverified: true }));
    leg.audio.play(0, 0, MULAW, speech);
    leg.audio.endSegment(0, 0);
    await caller.sendAtOnce(leg.port, new Uint8Array(10 * 160).fill(0xff));
    await heard;
    expect(caller.packets).toEqual([]);
    expect(events).toEqual([]);
    leg.configure(caller.session());
    await caller.until(() => voicedBytes(caller.audio()) >= 800);
    expect(Buffer.from(caller.audio()).indexOf(Buffer.from(speech))).toBeGreaterThanOrEqual(0);
    expect(caller.packets[0]).toMatchObject({ marker: true });
  });
});
