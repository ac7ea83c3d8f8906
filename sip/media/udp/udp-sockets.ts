import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';

/** One packet that came in. The bytes are valid during the call only. */
export type PacketReceiver = (packet: Uint8Array, address: string, port: number) => void;

/**
 * UDP as the media loop needs it: it waits in `poll`, in which packets are handed to their receivers, and ends each turn
 * with `flush`. Over `dgram` packets go out in `send` at once; a backend that batches sends them in `flush`.
 */
export interface UdpSockets {
  /** Rejects with the system's error (`EADDRINUSE`, `EACCES`, `EMFILE` …). */
  bind(port: number, receive: PacketReceiver): Promise<UdpSocket>;
  /** Hands over what arrives until `deadlineMs` on the clock of `performance.now`, then calls `wake` once. */
  poll(deadlineMs: number): void;
  flush(): void;
}

/** One bound port. */
export interface UdpSocket {
  /** Where `send` goes from now on; packets are taken from anywhere. */
  aim(address: string, port: number): void;
  /** Where `send` goes from now on, and the only source that packets are taken from: a fifth cheaper a packet. */
  connect(address: string, port: number): void;
  readonly connected: boolean;
  /** Nothing is reported: what cannot be sent is lost, as on any network. The bytes may be changed once it returns. */
  send(packet: Uint8Array): void;
  close(): Promise<void>;
}

/** Node's timers have a resolution of 1 ms, the wheel's own. */
const TIMER_MS = 1;
/** A wake-up that is later than this lets the sockets be read first. Half a frame: the smallest jitter buffer holds a whole one. */
const LATE_MS = 10;

/** A `dgram` socket a call. `wake` is what ends a `poll`. */
export function createDgramSockets(bindAddress: string, wake: () => void): UdpSockets {
  // One timer for ever: setting it again allocates nothing.
  let timer: NodeJS.Timeout | null = null;
  let dueMs = 0;
  // Node runs timers before it reads sockets. Packets that came while the thread stood still would all be late for the
  // frames that are due now, and each bridge would answer that with a longer delay.
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
    // Addresses come from SDP as literals. Without this, each packet of an unconnected socket waits for a name lookup.
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
      // Literals are connected to at once; this throws where that failed.
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
      // The kernel holds no connection any more, which is what was wanted.
    }
  }

  close(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#closed = true;
    return new Promise((resolve) => this.#socket.close(resolve));
  }
}
