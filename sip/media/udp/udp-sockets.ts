import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';

/** One received packet. The bytes are valid during the call only. */
export type PacketReceiver = (packet: Uint8Array, address: string, port: number) => void;

/**
 * UDP as the media loop needs it: it waits in `poll`, in which packets are handed to their receivers, and ends each turn
 * with `flush`. Over `dgram` packets go out in `send` at once; a backend that batches sends them in `flush`.
 */
export interface UdpSockets {
  /** Rejects with the system's error (`EADDRINUSE`, `EACCES`, `EMFILE` …). */
  bind(port: number, receive: PacketReceiver): Promise<UdpSocket>;
  /** Delivers packets until `deadlineMs` on the clock of `performance.now`, then calls `wake` once. */
  poll(deadlineMs: number): void;
  flush(): void;
}

/** One bound port. */
export interface UdpSocket {
  /** Sets the destination of `send`; packets are accepted from any source. */
  aim(address: string, port: number): void;
  /** Sets the destination of `send`, and the only accepted source: saves a fifth of the cost per packet. */
  connect(address: string, port: number): void;
  readonly connected: boolean;
  /** Reports nothing: unsent packets are lost, as on any network. The bytes may change once it returns. */
  send(packet: Uint8Array): void;
  close(): Promise<void>;
}

/** Node's timers have a resolution of 1 ms, as the pacer. */
const TIMER_MS = 1;
/** A wake-up later than this reads the sockets first. Half a frame: the smallest jitter buffer holds a whole one. */
const LATE_MS = 10;

/** One `dgram` socket per port. `wake` ends a `poll`. */
export function createDgramSockets(bindAddress: string, wake: () => void): UdpSockets {
  // One timer for all polls: refreshing it allocates nothing.
  let timer: NodeJS.Timeout | null = null;
  let dueMs = 0;
  // Node runs timers before it reads sockets. Packets that arrived during a stall would all be late for the frames due
  // now, and each bridge would respond with a longer delay.
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
      dueMs = nowMs + TIMER_MS;
      if (timer === null) timer = setTimeout(onTimer, TIMER_MS);
      else timer.refresh();
    },
    flush() {},
  };
}

/** A socket that knows literal addresses only: it binds at once. */
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
  // ECONNREFUSED: the peer's port is closed (yet, or already). Timeouts and signalling judge that, not the socket.
  socket.on('error', () => {});
  socket.on('message', (packet, source) => receive(packet, source.address, source.port));
  return new DgramEndpoint(socket);
}

class DgramEndpoint implements UdpSocket {
  connected = false;
  readonly #socket: Socket;
  #address = '';
  #port = 0;
  #closed = false;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  aim(address: string, port: number): void {
    if (this.#closed) return;
    if (this.connected) this.#disconnect();
    this.#address = address;
    this.#port = port;
  }

  connect(address: string, port: number): void {
    this.aim(address, port);
    if (this.#closed || port === 0) return;
    try {
      this.#socket.connect(port, address);
      // Literals connect at once; this throws where that failed.
      this.#socket.remoteAddress();
      this.connected = true;
    } catch {
      // An address that cannot be connected to (no route) cannot be sent to either: `send` loses the packets.
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
