import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { createDgramSockets, type UdpSocket } from '../../../../sip/media/udp/udp-sockets.ts';

const closing: (() => unknown)[] = [];
const transport = createDgramSockets('127.0.0.1', () => undefined);

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Heard {
  readonly text: string;
  readonly address: string;
  readonly port: number;
}

/** Binds the first free port from `port` on. */
async function bind(port: number, by = transport, onPacket: (text: string) => void = () => undefined) {
  const heard: Heard[] = [];
  let look: () => void = () => undefined;
  for (let at = port; ; at++) {
    let endpoint: UdpSocket;
    try {
      endpoint = await by.bind(at, (packet, address, from) => {
        onPacket(Buffer.from(packet).toString());
        heard.push({ text: Buffer.from(packet).toString(), address, port: from });
        look();
      });
    } catch (error) {
      if (at > port + 50) throw error;
      continue;
    }
    closing.push(() => endpoint.close());
    const more = () =>
      new Promise<void>((resolve) => {
        look = resolve;
      });
    return { endpoint, heard, port: at, more };
  }
}

describe('UDP over dgram', () => {
  test('sends where it is aimed, and hears anyone', async () => {
    const [a, b, c] = [await bind(29_000), await bind(29_100), await bind(29_200)];
    a.endpoint.aim('127.0.0.1', b.port);
    b.endpoint.aim('127.0.0.1', a.port);
    c.endpoint.aim('127.0.0.1', a.port);
    const heard = b.more();
    a.endpoint.send(Buffer.from('to b'));
    await heard;
    expect(b.heard).toEqual([{ text: 'to b', address: '127.0.0.1', port: a.port }]);
    const first = a.more();
    c.endpoint.send(Buffer.from('from c'));
    await first;
    expect(a.heard).toHaveLength(1);
  });

  test('once connected it hears its peer only, until it is aimed again', async () => {
    const [a, b, c] = [await bind(29_000), await bind(29_100), await bind(29_200)];
    b.endpoint.aim('127.0.0.1', a.port);
    c.endpoint.aim('127.0.0.1', a.port);
    a.endpoint.connect('127.0.0.1', b.port);
    expect(a.endpoint.connected).toBe(true);
    let heard = a.more();
    c.endpoint.send(Buffer.from('stranger'));
    b.endpoint.send(Buffer.from('peer'));
    await heard;
    a.endpoint.aim('127.0.0.1', b.port);
    expect(a.endpoint.connected).toBe(false);
    heard = a.more();
    c.endpoint.send(Buffer.from('another'));
    await heard;
    expect(a.heard.map((one) => one.text)).toEqual(['peer', 'another']);
  });

  test('survives a peer whose port is closed, connected and not', async () => {
    const [a, dead, b] = [await bind(29_000), await bind(29_100), await bind(29_200)];
    await dead.endpoint.close();
    b.endpoint.aim('127.0.0.1', a.port);
    for (const act of ['aim', 'connect'] as const) {
      a.endpoint[act]('127.0.0.1', dead.port);
      for (let i = 0; i < 20; i++) {
        a.endpoint.send(Buffer.from('anyone?'));
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    a.endpoint.aim('127.0.0.1', b.port);
    const heard = b.more();
    a.endpoint.send(Buffer.from('alive'));
    await heard;
    expect(b.heard.map((one) => one.text)).toEqual(['alive']);
  });

  test('a taken port rejects with EADDRINUSE; an address that cannot be reached, or none, is no error', async () => {
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
    expect(a.heard).toEqual([]);
  });

  test('closing twice is fine, and a closed one sends and connects no more', async () => {
    const a = await bind(29_000);
    await a.endpoint.close();
    await a.endpoint.close();
    a.endpoint.aim('127.0.0.1', 9);
    a.endpoint.connect('127.0.0.1', 9);
    a.endpoint.send(Buffer.from('x'));
    expect(a.endpoint.connected).toBe(false);
  });

  test('packets that came while the thread stood still are handed over before the wake-up that is late', async () => {
    const order: string[] = [];
    const woken = Promise.withResolvers<void>();
    const late = createDgramSockets('127.0.0.1', () => {
      order.push('wake');
      woken.resolve();
    });
    const sender = createSocket('udp4');
    closing.push(() => sender.close());
    const { port } = await bind(29_300, late, (text) => order.push(text));
    // Connected, a datagram is in the other socket's queue when `send` returns.
    sender.connect(port, '127.0.0.1');
    await once(sender, 'connect');
    late.poll(performance.now() + 1);
    for (const text of ['first', 'second']) sender.send(text);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    await woken.promise;
    expect(order).toEqual(['first', 'second', 'wake']);
  });
});
