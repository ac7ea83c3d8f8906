import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../seeded-random.ts';
import { listen, mediaHarness, openSession, workerCaughtUp } from './media-harness.ts';

const { startMediaService, peer, connectedCall } = mediaHarness(13_500);

describe('source of RTP packets', () => {
  it("drops packets of an unknown source, before and after the peer's first packet", async () => {
    const mediaService = startMediaService();
    const [caller, unknownSource, { session }] = await Promise.all([
      peer(),
      peer('127.0.0.9'),
      openSession(mediaService),
    ]);
    const heard = listen(session);
    session.configure(caller.session());
    await workerCaughtUp(mediaService);
    for (let i = 0; i < 5; i++) await unknownSource.send(session.port, new Uint8Array(160).fill(9));
    await caller.send(session.port, new Uint8Array(160).fill(1));
    await heard.until(160);
    for (let i = 0; i < 5; i++) await unknownSource.send(session.port, new Uint8Array(160).fill(9));
    await caller.send(session.port, new Uint8Array(160).fill(1));
    await heard.until(320);
    expect(new Set(heard.all())).toEqual(new Set([1]));
    await caller.more(3);
    expect(unknownSource.packets).toEqual([]);
    expect((await mediaService.statistics()).packetsDropped).toBeGreaterThanOrEqual(5);
  });

  it("sends to the source of the caller's packets, and follows a caller behind a NAT to a new port", async () => {
    const mediaService = startMediaService();
    const [caller, moved, { session }] = await Promise.all([peer(), peer(), openSession(mediaService)]);
    const heard = listen(session);
    session.configure(caller.session({ remoteAddress: '192.0.2.1', remotePort: 9, allowedAddresses: ['127.0.0.1'] }));
    await workerCaughtUp(mediaService);
    await caller.send(session.port, new Uint8Array(160).fill(1));
    await caller.more(30);
    moved.ssrc = caller.ssrc;
    moved.sequence = caller.sequence;
    moved.timestamp = caller.timestamp;
    await moved.send(session.port, new Uint8Array(160).fill(2));
    await moved.more(3);
    await heard.until(320);
    expect(heard.all()[319]).toBe(2);
  });

  it('continues the call when random bytes arrive on both ports', async () => {
    const { session, caller, events } = await connectedCall();
    const heard = listen(session);
    const random = seededRandom(7);
    const below = (bound: number) => Math.floor(random() * bound);
    for (let i = 0; i < 300; i++) {
      const bytes = Uint8Array.from({ length: below(300) }, () => below(256));
      // Half of them start like RTP or RTCP.
      if (i % 2 === 0 && bytes.length > 1) bytes.set([0x80, i % 4 === 0 ? 0 : 200]);
      await caller.sendRaw(session.port + (i % 3 === 0 ? 1 : 0), bytes);
    }
    await caller.more(2);
    caller.ssrc = 0x9999;
    for (let i = 0; i < 10; i++) await caller.send(session.port, new Uint8Array(160).fill(0x55));
    await heard.until(160);
    await caller.until(() => Buffer.from(heard.all()).includes(Buffer.alloc(160 * 4, 0x55)));
    expect(events.filter((event) => event.type === 'failed')).toEqual([]);
  });

  it('survives ECONNREFUSED of a closed port, and continues when the port opens again', async () => {
    const { mediaService, session, caller, events } = await connectedCall();
    await caller.send(session.port, new Uint8Array(160));
    await caller.more(3);
    const port = caller.port;
    caller.close();
    const other = await openSession(mediaService);
    const witness = await peer();
    other.session.configure(witness.session());
    await witness.more(40);
    const back = await peer('127.0.0.1', port);
    await back.more(5);
    expect(events).toEqual([]);
  });
});
