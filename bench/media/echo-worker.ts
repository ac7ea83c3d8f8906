import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * The reference: sends each packet back as it comes, over `dgram`, one connected socket a call, and does nothing else.
 * What the media worker costs beyond it is ours.
 */
const { peers, firstPort }: { peers: readonly number[]; firstPort: number } = workerData;
const ports: number[] = [];
let port = firstPort;
for (const peer of peers) {
  for (;;) {
    const socket = createSocket('udp4');
    try {
      socket.bind(port, '127.0.0.1');
      await once(socket, 'listening');
    } catch {
      port++;
      continue;
    }
    socket.on('error', () => undefined);
    socket.on('message', (packet) => socket.send(packet));
    socket.connect(peer, '127.0.0.1');
    ports.push(port++);
    break;
  }
}
parentPort?.postMessage(ports);
