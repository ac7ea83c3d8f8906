import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { localAddresses } from '../../../../base/network/local-addresses.ts';
import type { UdpSocket, UdpSockets, WakeListener } from '../../../../sip/media/udp/udp-sockets.ts';

const hasIpv6 = localAddresses().includes('::1');
const LOOPBACK = '127.0.0.1';
/** The largest payload of UDP over IPv4. */
const LARGEST_PACKET_BYTES = 65_507;
/** Two for each of 500 calls. */
const MANY_SOCKETS = 1000;
/** More than the queue of a socket holds. */
const FLOOD_PACKETS = 2000;
const REUSED_TIMES = 50;
const PORTS_TRIED = 50;

type CreateSockets = (bindAddress: string, wake?: WakeListener) => UdpSockets;

interface ReceivedText {
  readonly text: string;
  readonly address: string;
  readonly port: number;
}

/** The contract of every implementation of `UdpSockets`. Uses ports from `firstPort` on. */
export function udpSocketsContract(name: string, firstPort: number, create: CreateSockets): void {
  const closing: (() => unknown)[] = [];
  const [A, B, C] = [firstPort, firstPort + 100, firstPort + 200];
  const sockets = create(LOOPBACK);

  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  /** Binds the first free port from `from` on. */
  async function bind(from: number, by = sockets, onPacket: (text: string) => void = () => undefined) {
    const received: ReceivedText[] = [];
    let onReceived: () => void = () => undefined;
    for (let at = from; ; at++) {
      let socket: UdpSocket;
      try {
        socket = await by.bind(at, (packet, address, port) => {
          const text = Buffer.from(packet).toString();
          received.push({ text, address, port });
          onPacket(text);
          onReceived();
        });
      } catch (error) {
        if (at > from + PORTS_TRIED) throw error;
        continue;
      }
      closing.push(() => socket.close());
      const until = async (count: number) => {
        while (received.length < count) await new Promise<void>((resolve) => (onReceived = resolve));
      };
      const texts = () => received.map(({ text }) => text);
      return { socket, received, texts, port: at, until };
    }
  }

  /** A `dgram` socket connected to the port: its datagram is in the receiver's queue when `send` returns. */
  async function sender(port: number) {
    const socket = createSocket('udp4');
    closing.push(() => socket.close());
    socket.connect(port, LOOPBACK);
    await once(socket, 'connect');
    return socket;
  }

  describe(name, () => {
    it('sends to its destination, and receives from any source', async () => {
      const [a, b, c] = [await bind(A), await bind(B), await bind(C)];
      a.socket.aim(LOOPBACK, b.port);
      b.socket.aim(LOOPBACK, a.port);
      c.socket.aim(LOOPBACK, a.port);
      a.socket.send(Buffer.from('to b'));
      await b.until(1);
      expect(b.received).toEqual([{ text: 'to b', address: LOOPBACK, port: a.port }]);
      b.socket.send(Buffer.from('from b'));
      await a.until(1);
      c.socket.send(Buffer.from('from c'));
      await a.until(2);
      expect(a.received).toEqual([
        { text: 'from b', address: LOOPBACK, port: b.port },
        { text: 'from c', address: LOOPBACK, port: c.port },
      ]);
    });

    it('receives only from its peer while connected', async () => {
      const [a, b, c] = [await bind(A), await bind(B), await bind(C)];
      b.socket.aim(LOOPBACK, a.port);
      c.socket.aim(LOOPBACK, a.port);
      a.socket.connect(LOOPBACK, b.port);
      expect(a.socket.connected).toBe(true);
      c.socket.send(Buffer.from('unknown source'));
      for (const text of ['first', 'second']) b.socket.send(Buffer.from(text));
      await a.until(2);
      a.socket.aim(LOOPBACK, b.port);
      expect(a.socket.connected).toBe(false);
      c.socket.send(Buffer.from('another'));
      await a.until(3);
      expect(a.texts()).toEqual(['first', 'second', 'another']);
      expect(a.received.map(({ port }) => port)).toEqual([b.port, b.port, c.port]);
    });

    it('names the real source of packets that arrived before it was connected', async () => {
      const [a, b] = [await bind(A), await bind(B)];
      b.socket.aim(LOOPBACK, a.port);
      const unknownSource = await sender(a.port);
      for (const text of ['early', 'also early']) unknownSource.send(text);
      a.socket.connect(LOOPBACK, b.port);
      b.socket.send(Buffer.from('peer'));
      await a.until(3);
      const unknownSourcePort = unknownSource.address().port;
      expect(a.received).toEqual([
        { text: 'early', address: LOOPBACK, port: unknownSourcePort },
        { text: 'also early', address: LOOPBACK, port: unknownSourcePort },
        { text: 'peer', address: LOOPBACK, port: b.port },
      ]);
    });

    it('keeps the order of packets, and empty and the largest ones whole', async () => {
      const [a, b] = [await bind(A), await bind(B)];
      const largest = 'x'.repeat(LARGEST_PACKET_BYTES);
      const texts = ['one', '', 'three', largest, 'five'];
      for (const act of ['aim', 'connect'] as const) {
        a.socket[act](LOOPBACK, b.port);
        for (const text of texts) a.socket.send(Buffer.from(text));
      }
      await b.until(2 * texts.length);
      expect(b.texts()).toEqual([...texts, ...texts]);
    });

    it('sends the bytes of the call of send, which the caller may overwrite', async () => {
      const [a, b] = [await bind(A), await bind(B)];
      a.socket.aim(LOOPBACK, b.port);
      const bytes = Buffer.from('..first..');
      a.socket.send(bytes.subarray(2, 7));
      bytes.fill('x');
      await b.until(1);
      expect(b.texts()).toEqual(['first']);
    });

    it('loses packets that the receiver has no room for, and goes on', async () => {
      const [a, b] = [await bind(A), await bind(B)];
      a.socket.connect(LOOPBACK, b.port);
      const bytes = Buffer.alloc(1024, 'x');
      for (let i = 0; i < FLOOD_PACKETS; i++) a.socket.send(bytes);
      await b.until(1);
      const other = await bind(C, sockets);
      other.socket.aim(LOOPBACK, b.port);
      while (b.received.at(-1)?.text !== 'after') {
        other.socket.send(Buffer.from('after'));
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(b.received.length).toBeGreaterThan(1);
    });

    it.skipIf(!hasIpv6)(
      'bound to :: exchanges packets with peers of both IP families (skipped without ::1)',
      async () => {
        for (const [act, host] of [
          ['aim', LOOPBACK],
          ['aim', '::1'],
          ['connect', LOOPBACK],
          ['connect', '::1'],
        ] as const) {
          const ours = await bind(A, create('::'));
          const peer = await bind(B, create(host));
          ours.socket[act](host, peer.port);
          expect(ours.socket.connected).toBe(act === 'connect');
          ours.socket.send(Buffer.from('hello'));
          await peer.until(1);
          expect(peer.received).toEqual([{ text: 'hello', address: host, port: ours.port }]);
          peer.socket.aim(host, ours.port);
          for (const text of ['and back', 'again']) peer.socket.send(Buffer.from(text));
          await ours.until(2);
          expect(ours.received[1]).toEqual({ text: 'again', address: host, port: peer.port });
        }
      },
    );

    it('survives a peer whose port is closed, connected and not', async () => {
      const [a, closed, b] = [await bind(A), await bind(B), await bind(C)];
      await closed.socket.close();
      b.socket.aim(LOOPBACK, a.port);
      for (const act of ['aim', 'connect'] as const) {
        a.socket[act](LOOPBACK, closed.port);
        for (let i = 0; i < 20; i++) {
          a.socket.send(Buffer.from('anyone?'));
          await new Promise((resolve) => setImmediate(resolve));
        }
      }
      a.socket.aim(LOOPBACK, b.port);
      a.socket.send(Buffer.from('alive'));
      await b.until(1);
      b.socket.send(Buffer.from('yes'));
      await a.until(1);
      expect([...b.texts(), ...a.texts()]).toEqual(['alive', 'yes']);
    });

    it('rejects with EADDRINUSE for a port in use, and ignores unreachable and invalid destinations', async () => {
      const a = await bind(A);
      await expect(sockets.bind(a.port, () => undefined)).rejects.toMatchObject({ code: 'EADDRINUSE' });
      a.socket.send(Buffer.from('nowhere'));
      for (const address of ['255.255.255.255', 'not an address', '::1', '']) {
        a.socket.aim(address, 9);
        a.socket.send(Buffer.from('x'));
        a.socket.connect(address, 9);
        a.socket.send(Buffer.from('x'));
      }
      a.socket.connect(LOOPBACK, 0);
      a.socket.send(Buffer.from('x'));
      expect(a.received).toEqual([]);
    });

    it('rejects with EADDRNOTAVAIL for an address that this machine does not have', async () => {
      await expect(create('192.0.2.1').bind(A, () => undefined)).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' });
    });

    it('can be closed twice, and neither sends nor connects afterwards', async () => {
      const a = await bind(A);
      await a.socket.close();
      await a.socket.close();
      a.socket.aim(LOOPBACK, 9);
      a.socket.connect(LOOPBACK, 9);
      a.socket.send(Buffer.from('x'));
      expect(a.socket.connected).toBe(false);
    });

    it('delivers no packet to a closed socket, also one that waits in its queue', async () => {
      const [a, b] = [await bind(A), await bind(B)];
      // Whichever is read first closes both.
      const closeBoth = await bind(C, sockets, () => {
        void a.socket.close();
        void closeBoth.socket.close();
      });
      const waiting = await Promise.all([a.port, closeBoth.port].map(sender));
      for (const socket of waiting) for (const text of ['1', '2']) socket.send(text);
      await closeBoth.until(1);
      b.socket.aim(LOOPBACK, b.port);
      b.socket.send(Buffer.from('later'));
      await b.until(1);
      expect(closeBoth.texts()).toEqual(['1']);
    });

    it('binds a port again as soon as it is closed, without the packets of before', async () => {
      const { socket, port } = await bind(A);
      await socket.close();
      for (let i = 0; i < REUSED_TIMES; i++) {
        const texts: string[] = [];
        const again = await sockets.bind(port, (packet) => texts.push(Buffer.from(packet).toString()));
        (await sender(port)).send('unread');
        await again.close();
        expect(texts).toEqual([]);
      }
    });

    it('serves a thousand sockets', async () => {
      const target = await bind(C);
      const many: Awaited<ReturnType<typeof bind>>[] = [];
      for (let i = 0; i < MANY_SOCKETS; i++) many.push(await bind(i === 0 ? A + 1000 : (many.at(-1)?.port ?? 0) + 1));
      for (const [i, one] of many.entries()) {
        one.socket.connect(LOOPBACK, target.port);
        target.socket.aim(LOOPBACK, one.port);
        target.socket.send(Buffer.from(`${i}`));
      }
      await Promise.all(many.map((one) => one.until(1)));
      expect(many.map((one) => one.texts())).toEqual(many.map((_, i) => [`${i}`]));
    });

    it('delivers packets that arrived during a stall of the thread before the late wake-up', async () => {
      const order: string[] = [];
      const woken = Promise.withResolvers<void>();
      const stalled = create(LOOPBACK, () => {
        order.push('wake');
        woken.resolve();
      });
      const { port } = await bind(A, stalled, (text) => order.push(text));
      const peer = await sender(port);
      stalled.poll(performance.now() + 1);
      for (const text of ['first', 'second']) peer.send(text);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
      await woken.promise;
      expect(order).toEqual(['first', 'second', 'wake']);
    });

    it('wakes once for a poll, also for one whose deadline is over', async () => {
      let wakeUps = 0;
      let woken = Promise.withResolvers<void>();
      const polled = create(LOOPBACK, () => {
        wakeUps++;
        woken.resolve();
      });
      for (const deadlineMs of [performance.now() - 1, performance.now() + 1]) {
        woken = Promise.withResolvers<void>();
        polled.poll(deadlineMs);
        await woken.promise;
      }
      expect(wakeUps).toBe(2);
    });
  });
}
