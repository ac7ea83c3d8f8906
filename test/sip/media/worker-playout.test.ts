import { describe, expect, it } from 'vitest';
import { voicedBytes } from '../../rtp-peer/rtp-peer.ts';
import { mediaContract } from './media-contract.ts';
import { MULAW, mediaHarness, openSession, workerCaughtUp } from './media-harness.ts';

const { startMediaService, peer, connectedCall } = mediaHarness(15_500);

describe('media of a phone call', () => {
  mediaContract(async (changes) => {
    const { caller, ...rig } = await connectedCall(changes);
    return {
      ...rig,
      heard: () => caller.audio(),
      until: (holds) => caller.until(holds),
      say: async (audio) => {
        for (let at = 0; at < audio.length; at += 160) {
          const next = caller.more(1);
          await caller.send(rig.session.port, audio.subarray(at, at + 160));
          await next;
        }
      },
    };
  });

  it.each(['inactive', 'recvonly'] as const)(
    'sends nothing while the session is %s, and keeps the queued audio',
    async (direction) => {
      const { mediaService, session, caller, event } = await connectedCall();
      await caller.more(2);
      session.configure(caller.session({ direction }));
      session.audio.play(0, 0, MULAW, new Uint8Array(160).fill(5));
      session.audio.pause();
      await event('paused');
      const other = await openSession(mediaService);
      const witness = await peer();
      other.session.configure(witness.session());
      await witness.more(1);
      const count = caller.packets.length;
      await witness.more(10);
      expect(caller.packets).toHaveLength(count);
      session.audio.resume();
      session.configure(caller.session());
      const before = caller.packets.length;
      await caller.until(() => voicedBytes(caller.audio()) === 160);
      expect(caller.packets[before]).toMatchObject({ marker: true });
    },
  );

  it('plays the queued audio from its first sample after the source was verified', async () => {
    const mediaService = startMediaService();
    const [caller, { session, events }] = await Promise.all([peer(), openSession(mediaService)]);
    const verified = new Promise((resolve) => session.onSourceVerification(resolve));
    const speech = Uint8Array.from({ length: 800 }, (_, i) => 1 + (i % 100));
    session.configure(caller.session({ sourceUnverified: true }));
    session.audio.play(0, 0, MULAW, speech);
    session.audio.endSegment(0, 0);
    await workerCaughtUp(mediaService);
    await caller.sendAtOnce(session.port, new Uint8Array(10 * 160).fill(0xff));
    expect(await verified).toBe('verified');
    expect(caller.packets).toEqual([]);
    expect(events).toEqual([]);
    session.configure(caller.session());
    await caller.until(() => voicedBytes(caller.audio()) >= 800);
    expect(Buffer.from(caller.audio()).indexOf(Buffer.from(speech))).toBeGreaterThanOrEqual(0);
    expect(caller.packets[0]).toMatchObject({ marker: true });
  });
});
