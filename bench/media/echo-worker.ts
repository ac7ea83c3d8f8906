import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * The reference: only returns each packet, over `dgram`, with one connected socket per call. The media worker's additional
 * cost is ours.
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
