import { describe, expect, test } from 'vitest';
import { listen, mediaHarness, openLeg } from './media-harness.ts';

const { startMediaService, peer, connectedCall } = mediaHarness(22000);

describe('what others send', () => {
  test("packets of an unknown source are dropped, before and after the peer's first", async () => {
    const mediaService = startMediaService();
    const [caller, unknownSource, { leg }] = await Promise.all([peer(), peer('127.0.0.9'), openLeg(mediaService)]);
    const heard = listen(leg);
    leg.configure(caller.session());
    for (let i = 0; i < 5; i++) await unknownSource.send(leg.port, new Uint8Array(160).fill(9));
    await caller.send(leg.port, new Uint8Array(160).fill(1));
    await heard.until(160);
    for (let i = 0; i < 5; i++) await unknownSource.send(leg.port, new Uint8Array(160).fill(9));
    await caller.send(leg.port, new Uint8Array(160).fill(1));
    await heard.until(320);
    expect(new Set(heard.all())).toEqual(new Set([1]));
    await caller.more(3);
    expect(unknownSource.packets).toEqual([]);
    expect((await mediaService.statistics()).packetsDropped).toBeGreaterThanOrEqual(5);
  });

  test('packets go to where the caller really sends from, and a caller behind a NAT is followed to a new port', async () => {
    const mediaService = startMediaService();
    const [caller, moved, { leg }] = await Promise.all([peer(), peer(), openLeg(mediaService)]);
    const heard = listen(leg);
    leg.configure(caller.session({ remoteAddress: '192.0.2.1', remotePort: 9, allowedAddresses: ['127.0.0.1'] }));
    await caller.send(leg.port, new Uint8Array(160).fill(1));
    await caller.more(30);
    moved.ssrc = caller.ssrc;
    moved.sequence = caller.sequence;
    moved.timestamp = caller.timestamp;
    await moved.send(leg.port, new Uint8Array(160).fill(2));
    await moved.more(3);
    await heard.until(320);
    expect(heard.all()[319]).toBe(2);
  });

  test('random bytes on both ports cost nothing: the call goes on', async () => {
    const { leg, caller, events } = await connectedCall();
    const heard = listen(leg);
    let seed = 7;
    const random = () => {
      seed = (seed * 48_271) % 0x7fffffff;
      return seed;
    };
    for (let i = 0; i < 300; i++) {
      const bytes = Uint8Array.from({ length: random() % 300 }, () => random() & 0xff);
      // Half of them look like RTP or RTCP at first sight.
      if (i % 2 === 0 && bytes.length > 1) bytes.set([0x80, i % 4 === 0 ? 0 : 200]);
      await caller.sendRaw(leg.port + (i % 3 === 0 ? 1 : 0), bytes);
    }
    await caller.more(2);
    caller.ssrc = 0x9999;
    for (let i = 0; i < 10; i++) await caller.send(leg.port, new Uint8Array(160).fill(0x55));
    await heard.until(160);
    await caller.until(() => Buffer.from(heard.all()).includes(Buffer.alloc(160 * 4, 0x55)));
    expect(events.filter((event) => event.type === 'failed')).toEqual([]);
  });

  test('a caller whose port is closed (ECONNREFUSED) leaves the other calls alone, and may come back', async () => {
    const { mediaService, leg, caller, events } = await connectedCall();
    await caller.send(leg.port, new Uint8Array(160));
    await caller.more(3);
    const port = caller.port;
    caller.close();
    const other = await openLeg(mediaService);
    const witness = await peer();
    other.leg.configure(witness.session());
    await witness.more(40);
    const back = await peer('127.0.0.1', port);
    await back.more(5);
    expect(events).toEqual([]);
  });
});
