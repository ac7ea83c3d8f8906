import { describe, expect, it } from 'vitest';
import { RtpPeer, voicedBytes } from '../../rtp-peer/rtp-peer.ts';
import { MULAW, mediaHarness, openSession } from './media-harness.ts';

const FIRST_PORT = 16_000;
const { startMediaService, peer, connectedCall } = mediaHarness(FIRST_PORT);

/** The first of four ports. One port of the first pair is in use, the second pair is free. */
async function portsWithFirstPairInUse(): Promise<number> {
  for (;;) {
    const held = await peer();
    const first = held.port & ~1;
    const others = await Promise.all([2, 3].map((nth) => RtpPeer.open('127.0.0.1', first + nth).catch(() => null)));
    for (const other of others) other?.close();
    if (!others.includes(null)) return first;
  }
}

describe('media service', () => {
  it('emits one timeout if no packet arrives within the configured time', async () => {
    const { caller, events, event } = await connectedCall({ mediaTimeoutMs: 300, codec: 'pcmu' });
    await event('timeout');
    await caller.more(20);
    expect(events).toEqual([{ type: 'timeout' }]);
  });

  it.each(['sendonly', 'recvonly', 'inactive'] as const)(
    'emits no timeout while the session is %s',
    async (direction) => {
      const mediaService = startMediaService();
      const [caller, witness, paused, other] = await Promise.all([
        peer(),
        peer(),
        openSession(mediaService, { mediaTimeoutMs: 100, codec: 'pcmu' }),
        openSession(mediaService, { mediaTimeoutMs: 100, codec: 'pcmu' }),
      ]);
      paused.session.configure(caller.session({ direction }));
      other.session.configure(witness.session());
      await other.event('timeout');
      await witness.more(10);
      expect(paused.events).toEqual([]);
      paused.session.configure(caller.session());
      await paused.event('timeout');
    },
  );

  it('close frees port and slot at once, and ends all events', async () => {
    const { mediaService, session, caller, events } = await connectedCall();
    await caller.more(2);
    session.close();
    session.close();
    expect(await session.recorded).toEqual({ path: null, complete: true, durationMs: 0 });
    expect((await mediaService.statistics()).sessions).toBe(0);
    expect(mediaService.workers[0]?.calls).toBe(0);
    expect(session.audio.play(0, 0, MULAW, new Uint8Array(100))).toBe(true);
    session.audio.clear(0);
    session.audio.pause();
    session.audio.sendDtmf('1');
    await peer('127.0.0.1', session.port);
    expect(events).toEqual([]);
  });

  it('plays no audio of an earlier session in a reused slot', async () => {
    const mediaService = startMediaService();
    await mediaService.ready();
    const caller = await peer();
    for (let call = 0; call < 100; call++) {
      const session = await mediaService.open({ callId: `${call}`, mediaTimeoutMs: 60_000, codec: 'pcmu' });
      session.audio.play(0, 0, MULAW, new Uint8Array(160).fill(call));
      session.close();
      await session.recorded;
    }
    const { session } = await openSession(mediaService);
    session.configure(caller.session());
    await caller.more(3);
    expect(voicedBytes(caller.audio())).toBe(0);
    expect(mediaService.workers[0]?.calls).toBe(1);
  });

  it('skips a port that another process uses, and rejects with no_port if none is left', async () => {
    const first = await portsWithFirstPairInUse();
    const mediaService = startMediaService({ ports: { first, last: first + 3 } });
    await mediaService.ready();
    const session = await mediaService.open({ callId: 'a', mediaTimeoutMs: 1000, codec: 'pcmu' });
    expect(session.port).toBe(first + 2);
    await expect(mediaService.open({ callId: 'b', mediaTimeoutMs: 1000, codec: 'pcmu' })).rejects.toMatchObject({
      code: 'no_port',
    });
    session.close();
    await session.recorded;
    await mediaService.open({ callId: 'c', mediaTimeoutMs: 1000, codec: 'pcmu' });
  });

  it('emits failed and ends the media of a call whose listener throws, and of no other call', async () => {
    const { mediaService, caller, session, event } = await connectedCall();
    const other = await openSession(mediaService);
    const witness = await peer();
    other.session.configure(witness.session());
    session.audio.onAudio(() => {
      throw new Error('listener');
    });
    await caller.send(session.port, new Uint8Array(160));
    expect(await event('failed')).toMatchObject({ message: expect.stringContaining('listener') });
    await session.recorded;
    await witness.more(5);
    expect(other.events).toEqual([]);
    expect((await mediaService.statistics()).sessions).toBe(1);
  });

  it('sends nothing to the address 0.0.0.0 until a packet shows the address of the caller', async () => {
    const mediaService = startMediaService();
    const [caller, { session }] = await Promise.all([peer(), openSession(mediaService)]);
    session.configure(caller.session({ remoteAddress: '0.0.0.0', allowedAddresses: ['127.0.0.1'] }));
    const witness = await peer();
    const other = await openSession(mediaService);
    other.session.configure(witness.session());
    await witness.more(5);
    expect(caller.packets).toEqual([]);
    await caller.send(session.port, new Uint8Array(160));
    await caller.more(2);
  });

  it('accepts calls once its workers have loaded', async () => {
    const mediaService = startMediaService({ workers: 2 });
    expect(mediaService.capacity()).toMatchObject({ accepted: false });
    await mediaService.ready();
    expect(mediaService.capacity()).toEqual({ accepted: true });
  });

  it('refuses calls at the maximum, and accepts again when a call has ended', async () => {
    const mediaService = startMediaService({ callsMax: 1 });
    await mediaService.ready();
    const session = await mediaService.open({ callId: 'a', mediaTimeoutMs: 1000, codec: 'pcmu' });
    expect(mediaService.capacity()).toMatchObject({ accepted: false });
    session.close();
    await session.recorded;
    expect(mediaService.capacity()).toEqual({ accepted: true });
    await mediaService.close();
    expect(mediaService.capacity()).toMatchObject({ accepted: false });
    await expect(mediaService.open({ callId: 'b', mediaTimeoutMs: 1000, codec: 'pcmu' })).rejects.toMatchObject({
      code: 'closed',
    });
  });

  it('refuses calls if no RTP port is left, and accepts again when a call has ended', async () => {
    const mediaService = startMediaService({ ports: { first: FIRST_PORT, last: FIRST_PORT + 1 } });
    await mediaService.ready();
    const session = await mediaService.open({ callId: 'a', mediaTimeoutMs: 1000, codec: 'pcmu' });
    expect(mediaService.capacity()).toMatchObject({ accepted: false });
    session.close();
    await session.recorded;
    expect(mediaService.capacity()).toEqual({ accepted: true });
  });
});
