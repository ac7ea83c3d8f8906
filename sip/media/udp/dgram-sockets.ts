import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { withoutSocketMapping, withSocketMapping } from '../../../base/network/ip-address.ts';
import {
  type PacketReceiver,
  POLL_INTERVAL_MS,
  type UdpSocket,
  type UdpSockets,
  type WakeListener,
} from './udp-sockets.ts';

/** After a wake-up later than this, the sockets are read first. Half of the shortest delay of a jitter buffer. */
const LATE_MS = 10;

/** One `dgram` socket per port; bound to `::`, it serves IPv4 too. */
export function createDgramSockets(bindAddress: string, wake: WakeListener): UdpSockets {
  // One timer for all polls: refreshing it allocates nothing.
  let timer: NodeJS.Timeout | null = null;
  let dueMs = 0;
  // Node runs timers before it reads sockets. After a stall, the packets that had arrived in time would be late for the
  // frames due now, and each bridge would increase its delay.
  const onTimer = () => {
    if (performance.now() - dueMs > LATE_MS) setImmediate(wake);
    else wake();
  };
  return {
    bind: (port, receive) => bindEndpoint(bindAddress, port, receive),
    poll(deadlineMs) {
      const nowMs = performance.now();
      if (deadlineMs <= nowMs) {
        setImmediate(wake);
        return;
      }
      dueMs = nowMs + POLL_INTERVAL_MS;
      if (timer === null) timer = setTimeout(onTimer, POLL_INTERVAL_MS);
      else timer.refresh();
    },
  };
}

/** A socket for literal addresses only, which therefore binds at once. */
export function createMediaSocket(address: string): Socket {
  return createSocket({
    type: isIPv6(address) ? 'udp6' : 'udp4',
    // SDP carries literal addresses. Without this, each packet of an unconnected socket waits for a name lookup.
    lookup: (host, _options, callback) => callback(null, host, isIPv6(host) ? 6 : 4),
  });
}

async function bindEndpoint(address: string, port: number, receive: PacketReceiver): Promise<UdpSocket> {
  const socket = createMediaSocket(address);
  await new Promise<void>((resolve, reject) => {
    socket.once('error', (error) => {
      socket.close();
      reject(error);
    });
    socket.bind({ address, port, exclusive: true }, resolve);
  });
  socket.removeAllListeners('error');
  // ECONNREFUSED: the peer's port is not open yet, or closed already. Timeouts and signalling handle that.
  socket.on('error', () => {});
  const isIpv6 = isIPv6(address);
  // Sockets for IPv4 alone skip the test of each packet.
  if (isIpv6) socket.on('message', (packet, { address, port }) => receive(packet, withoutSocketMapping(address), port));
  else socket.on('message', (packet, source) => receive(packet, source.address, source.port));
  return new DgramEndpoint(socket, isIpv6);
}

class DgramEndpoint implements UdpSocket {
  connected = false;
  readonly #socket: Socket;
  readonly #isIpv6: boolean;
  /** As the socket takes it: an IPv6 socket needs IPv4 addresses mapped. */
  #address = '';
  #port = 0;
  #closed = false;

  constructor(socket: Socket, isIpv6: boolean) {
    this.#socket = socket;
    this.#isIpv6 = isIpv6;
  }

  aim(address: string, port: number): void {
    if (this.#closed) return;
    if (this.connected) this.#disconnect();
    this.#address = this.#isIpv6 ? withSocketMapping(address) : address;
    this.#port = port;
  }

  connect(address: string, port: number): void {
    this.aim(address, port);
    if (this.#closed || port === 0) return;
    try {
      this.#socket.connect(port, this.#address);
      // Literal addresses connect at once. This throws if that failed.
      this.#socket.remoteAddress();
      this.connected = true;
    } catch {
      // Without a route to the address, `send` loses the packets too.
      this.connected = false;
    }
  }

  send(packet: Uint8Array): void {
    if (this.#closed) return;
    if (this.connected) this.#socket.send(packet);
    else if (this.#port !== 0) this.#socket.send(packet, this.#port, this.#address);
  }

  #disconnect(): void {
    this.connected = false;
    try {
      this.#socket.disconnect();
    } catch {
      // The socket is disconnected already.
    }
  }

  close(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#closed = true;
    return new Promise((resolve) => this.#socket.close(resolve));
  }
}
