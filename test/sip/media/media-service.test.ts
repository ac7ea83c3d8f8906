import { describe, expect, test } from 'vitest';
import { RtpPeer, voicedBytes } from '../../rtp-peer/rtp-peer.ts';
import { MULAW, mediaHarness, openLeg } from './media-harness.ts';

const FIRST_PORT = 23_000;
const { startMediaService, peer, connectedCall } = mediaHarness(FIRST_PORT);

/** The first of four ports: one of the first pair is in use, the second pair is free. */
async function heldPair(): Promise<number> {
  for (;;) {
    const held = await peer();
    const first = held.port & ~1;
    const others = await Promise.all([2, 3].map((nth) => RtpPeer.open('127.0.0.1', first + nth).catch(() => null)));
    for (const other of others) other?.close();
    if (!others.includes(null)) return first;
  }
}

describe('the life of a leg', () => {
  test('without packets it tells one timeout, after the time that was set', async () => {
    const { caller, events, event } = await connectedCall({ mediaTimeoutMs: 300, codec: 'pcmu' });
    await event('timeout');
    await caller.more(20);
    expect(events).toEqual([{ type: 'timeout' }]);
  });

  test.each(['sendonly', 'recvonly', 'inactive'] as const)(
    'the timeout waits while the session is %s',
    async (direction) => {
      const mediaService = startMediaService();
      const [caller, witness, one, other] = await Promise.all([
        peer(),
        peer(),
        openLeg(mediaService, { mediaTimeoutMs: 100, codec: 'pcmu' }),
        openLeg(mediaService, { mediaTimeoutMs: 100, codec: 'pcmu' }),
      ]);
      one.leg.configure(caller.session({ direction }));
      other.leg.configure(witness.session());
      await other.event('timeout');
      await witness.more(10);
      expect(one.events).toEqual([]);
      one.leg.configure(caller.session());
      await one.event('timeout');
    },
  );

  test('close frees port and slot at once and silences everything', async () => {
    const { mediaService, leg, caller, events } = await connectedCall();
    await caller.more(2);
    leg.close();
    leg.close();
    expect(await leg.recorded).toEqual({ path: null, complete: true, durationMs: 0 });
    expect((await mediaService.statistics()).sessions).toBe(0);
    expect(mediaService.workers[0]?.calls).toBe(0);
    expect(leg.audio.play(0, 0, MULAW, new Uint8Array(100))).toBe(true);
    leg.audio.clear(0);
    leg.audio.pause();
    leg.audio.sendDtmf('1');
    await peer('127.0.0.1', leg.port);
    expect(events).toEqual([]);
  });

  test('a hundred legs one after another, in reused slots, hear only their own call', async () => {
    const mediaService = startMediaService();
    await mediaService.ready();
    const caller = await peer();
    for (let call = 0; call < 100; call++) {
      const leg = await mediaService.open({ callId: `${call}`, mediaTimeoutMs: 60_000, codec: 'pcmu' });
      leg.audio.play(0, 0, MULAW, new Uint8Array(160).fill(call));
      leg.close();
      await leg.recorded;
    }
    const { leg } = await openLeg(mediaService);
    leg.configure(caller.session());
    await caller.more(3);
    expect(voicedBytes(caller.audio())).toBe(0);
    expect(mediaService.workers[0]?.calls).toBe(1);
  });

  test('a port that another holds is passed over; with none left the call is refused as no_port', async () => {
    const first = await heldPair();
    const mediaService = startMediaService({ ports: { first, last: first + 3 } });
    await mediaService.ready();
    const leg = await mediaService.open({ callId: 'a', mediaTimeoutMs: 1000, codec: 'pcmu' });
    expect(leg.port).toBe(first + 2);
    await expect(mediaService.open({ callId: 'b', mediaTimeoutMs: 1000, codec: 'pcmu' })).rejects.toMatchObject({
      code: 'no_port',
    });
    leg.close();
    await leg.recorded;
    await mediaService.open({ callId: 'c', mediaTimeoutMs: 1000, codec: 'pcmu' });
  });

  test('a listener that throws ends the media of its call, told as failed, and of no other', async () => {
    const { mediaService, caller, leg, event } = await connectedCall();
    const other = await openLeg(mediaService);
    const witness = await peer();
    other.leg.configure(witness.session());
    leg.audio.onAudio(() => {
      throw new Error('listener');
    });
    await caller.send(leg.port, new Uint8Array(160));
    expect(await event('failed')).toMatchObject({ message: expect.stringContaining('listener') });
    await leg.recorded;
    await witness.more(5);
    expect(other.events).toEqual([]);
    expect((await mediaService.statistics()).sessions).toBe(1);
  });

  test('an SDP that names no address (0.0.0.0, port 0) is sent nothing until the caller shows where it is', async () => {
    const mediaService = startMediaService();
    const [caller, { leg }] = await Promise.all([peer(), openLeg(mediaService)]);
    leg.configure(caller.session({ remoteAddress: '0.0.0.0', allowedAddresses: ['127.0.0.1'] }));
    const witness = await peer();
    const other = await openLeg(mediaService);
    other.leg.configure(witness.session());
    await witness.more(5);
    expect(caller.packets).toEqual([]);
    await caller.send(leg.port, new Uint8Array(160));
    await caller.more(2);
  });

  test('a service that is ready takes a call; one whose workers still load does not', async () => {
    const mediaService = startMediaService({ workers: 2 });
    expect(mediaService.capacity()).toMatchObject({ accepted: false });
    await mediaService.ready();
    expect(mediaService.capacity()).toEqual({ accepted: true });
  });

  test('admission refuses at the maximum, and again accepts when a call has ended', async () => {
    const mediaService = startMediaService({ maximumCalls: 1 });
    await mediaService.ready();
    const leg = await mediaService.open({ callId: 'a', mediaTimeoutMs: 1000, codec: 'pcmu' });
    expect(mediaService.capacity()).toMatchObject({ accepted: false });
    leg.close();
    await leg.recorded;
    expect(mediaService.capacity()).toEqual({ accepted: true });
    await mediaService.close();
    expect(mediaService.capacity()).toMatchObject({ accepted: false });
    await expect(mediaService.open({ callId: 'b', mediaTimeoutMs: 1000, codec: 'pcmu' })).rejects.toMatchObject({
      code: 'closed',
    });
  });

  test('admission refuses where no RTP port is left, and again accepts when a call has ended', async () => {
    const mediaService = startMediaService({ ports: { first: FIRST_PORT, last: FIRST_PORT + 1 } });
    await mediaService.ready();
    const leg = await mediaService.open({ callId: 'a', mediaTimeoutMs: 1000, codec: 'pcmu' });
    expect(mediaService.capacity()).toMatchObject({ accepted: false });
    leg.close();
    await leg.recorded;
    expect(mediaService.capacity()).toEqual({ accepted: true });
  });
});
