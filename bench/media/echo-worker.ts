import { parentPort, workerData } from 'node:worker_threads';
import { createDgramSockets } from '../../sip/media/udp/dgram-sockets.ts';
import { createEpollSockets } from '../../sip/media/udp/epoll-sockets.ts';
import type { UdpSocket } from '../../sip/media/udp/udp-sockets.ts';

/** The reference: only returns each packet, with one connected socket per call. The media worker's additional cost is ours. */
const { peers, firstPort, sockets }: { peers: readonly number[]; firstPort: number; sockets: 'dgram' | 'epoll' } =
  workerData;
const ADDRESS = '127.0.0.1';
const nothing = () => undefined;
const udp = sockets === 'dgram' ? createDgramSockets(ADDRESS, nothing) : await createEpollSockets(ADDRESS, nothing);
const ports: number[] = [];
let port = firstPort;
for (const peer of peers) {
  for (let bound = false; !bound; port++) {
    let socket: UdpSocket | null = null;
    try {
      socket = await udp.bind(port, (packet) => socket?.send(packet));
    } catch {
      continue;
    }
    socket.connect(ADDRESS, peer);
    ports.push(port);
    bound = true;
  }
}
parentPort?.postMessage(ports);
