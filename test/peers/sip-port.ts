import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

/** Outside the kernel's ephemeral range (32768–60999) and the RTP ports of the tests (20000–31999). */
const FIRST = 12_000;
const LAST = 18_000;

/** A port that is free over UDP and TCP, with the next `count - 1`. */
export async function freeSipPort(count = 2): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = FIRST + 2 * Math.floor((Math.random() * (LAST - FIRST)) / 2);
    const free = await Promise.all(Array.from({ length: count }, (_, index) => isFree(port + index)));
    if (free.every(Boolean)) return port;
  }
  throw new Error('no free port for a SIP peer');
}

async function isFree(port: number): Promise<boolean> {
  const udp = createSocket('udp4');
  const tcp = createServer();
  const bound = await Promise.all([
    new Promise<boolean>((resolve) =>
      udp.once('error', () => resolve(false)).bind(port, '127.0.0.1', () => resolve(true)),
    ),
    new Promise<boolean>((resolve) =>
      tcp.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true)),
    ),
  ]);
  udp.close();
  tcp.close();
  return bound.every(Boolean);
}
