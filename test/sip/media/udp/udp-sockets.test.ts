import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { localAddresses } from '../../../../base/network/local-addresses.ts';
import { createDgramSockets, type UdpSocket } from '../../../../sip/media/udp/udp-sockets.ts';

const hasIpv6 = localAddresses().includes('::1');
const closing: (() => unknown)[] = [];
const transport = createDgramSockets('127.0.0.1', () => undefined);

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface ReceivedText {
  readonly text: string;
  readonly address: string;
  readonly port: number;
}

/** Binds the first free port from `port` on. */
async function bind(port: number, by = transport, onPacket: (text: string) => void = () => undefined) {
  const received: ReceivedText[] = [];
  let onReceived: () => void = () => undefined;
  for (let at = port; ; at++) {
    let endpoint: UdpSocket;
    try {
      endpoint = await by.bind(at, (packet, address, from) => {
        onPacket(Buffer.from(packet).toString());
        received.push({ text: Buffer.from(packet).toString(), address, port: from });
        onReceived();
      });
    } catch (error) {
      if (at > port + 50) throw error;
      continue;
    }
    closing.push(() => endpoint.close());
    const nextPacket = () =>
      new Promise<void>((resolve) => {
        onReceived = resolve;
      });
    return { endpoint, received, port: at, nextPacket };
  }
}

describe('UDP over dgram', () => {
  it('sends to its destination, and receives from any source', async () => {
    const [a, b, c] = [await bind(29_000), await bind(29_100), await bind(29_200)];
    a.endpoint.aim('127.0.0.1', b.port);
    b.endpoint.aim('127.0.0.1', a.port);
    c.endpoint.aim('127.0.0.1', a.port);
    const received = b.nextPacket();
    a.endpoint.send(Buffer.from('to b'));
    await received;
    expect(b.received).toEqual([{ text: 'to b', address: '127.0.0.1', port: a.port }]);
    const first = a.nextPacket();
    c.endpoint.send(Buffer.from('from c'));
    await first;
    expect(a.received).toHaveLength(1);
  });

  it('receives only from its peer while connected', async () => {
    const [a, b, c] = [await bind(29_000), await bind(29_100), await bind(29_200)];
    b.endpoint.aim('127.0.0.1', a.port);
    c.endpoint.aim('127.0.0.1', a.port);
    a.endpoint.connect('127.0.0.1', b.port);
    expect(a.endpoint.connected).toBe(true);
    let received = a.nextPacket();
    c.endpoint.send(Buffer.from('unknown source'));
    b.endpoint.send(Buffer.from('peer'));
    await received;
    a.endpoint.aim('127.0.0.1', b.port);
    expect(a.endpoint.connected).toBe(false);
    received = a.nextPacket();
    c.endpoint.send(Buffer.from('another'));
    await received;
    expect(a.received.map(({ text }) => text)).toEqual(['peer', 'another']);
  });

  it.skipIf(!hasIpv6)(
    'bound to :: exchanges packets with peers of both IP families (skipped without ::1)',
    async () => {
      const both = createDgramSockets('::', () => undefined);
      for (const [act, host] of [
        ['aim', '127.0.0.1'],
        ['aim', '::1'],
        ['connect', '127.0.0.1'],
        ['connect', '::1'],
      ] as const) {
        const ours = await bind(29_000, both);
        const peer = await bind(
          29_100,
          createDgramSockets(host, () => undefined),
        );
        ours.endpoint[act](host, peer.port);
        expect(ours.endpoint.connected).toBe(act === 'connect');
        const atPeer = peer.nextPacket();
        ours.endpoint.send(Buffer.from('hello'));
        await atPeer;
        expect(peer.received).toEqual([{ text: 'hello', address: host, port: ours.port }]);
        peer.endpoint.aim(host, ours.port);
        const atUs = ours.nextPacket();
        peer.endpoint.send(Buffer.from('and back'));
        await atUs;
        expect(ours.received).toEqual([{ text: 'and back', address: host, port: peer.port }]);
      }
    },
  );

  it('survives a peer whose port is closed, connected and not', async () => {
    const [a, closed, b] = [await bind(29_000), await bind(29_100), await bind(29_200)];
    await closed.endpoint.close();
    b.endpoint.aim('127.0.0.1', a.port);
    for (const act of ['aim', 'connect'] as const) {
      a.endpoint[act]('127.0.0.1', closed.port);
      for (let i = 0; i < 20; i++) {
        a.endpoint.send(Buffer.from('anyone?'));
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    a.endpoint.aim('127.0.0.1', b.port);
    const received = b.nextPacket();
    a.endpoint.send(Buffer.from('alive'));
    await received;
    expect(b.received.map(({ text }) => text)).toEqual(['alive']);
  });

  it('rejects with EADDRINUSE for a port in use, and ignores unreachable and invalid destinations', async () => {
    const a = await bind(29_000);
    await expect(transport.bind(a.port, () => undefined)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    a.endpoint.send(Buffer.from('nowhere'));
    for (const address of ['255.255.255.255', 'not an address', '::1', '']) {
      a.endpoint.aim(address, 9);
      a.endpoint.send(Buffer.from('x'));
      a.endpoint.connect(address, 9);
      a.endpoint.send(Buffer.from('x'));
    }
    a.endpoint.connect('127.0.0.1', 0);
    a.endpoint.send(Buffer.from('x'));
    expect(a.received).toEqual([]);
  });

  it('can be closed twice, and neither sends nor connects afterwards', async () => {
    const a = await bind(29_000);
    await a.endpoint.close();
    await a.endpoint.close();
    a.endpoint.aim('127.0.0.1', 9);
    a.endpoint.connect('127.0.0.1', 9);
    a.endpoint.send(Buffer.from('x'));
    expect(a.endpoint.connected).toBe(false);
  });

  it('delivers packets that arrived during a stall of the thread before the late wake-up', async () => {
    const order: string[] = [];
    const woken = Promise.withResolvers<void>();
    const sockets = createDgramSockets('127.0.0.1', () => {
      order.push('wake');
      woken.resolve();
    });
    const sender = createSocket('udp4');
    closing.push(() => sender.close());
    const { port } = await bind(29_300, sockets, (text) => order.push(text));
    // On a connected socket, the datagram is in the receiver's queue when `send` returns.
    sender.connect(port, '127.0.0.1');
    await once(sender, 'connect');
    sockets.poll(performance.now() + 1);
    for (const text of ['first', 'second']) sender.send(text);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    await woken.promise;
    expect(order).toEqual(['first', 'second', 'wake']);
  });
});
