import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { withoutSocketMapping, withSocketMapping } from '../../base/network/ip-address.ts';
import type { Hop, Origin } from './transport-address.ts';
import { transportFault } from './transport-fault.ts';

/** Buffers a burst of about 500 INVITEs while the event loop is busy. Beyond: the kernel drops packets. */
const RECEIVE_BUFFER_BYTES = 1_048_576;

export interface UdpOptions {
  readonly bindAddress: string;
  readonly port: number;
  readonly onDatagram: (bytes: Uint8Array, origin: Origin) => void;
}

/**
 * The server's UDP socket (RFC 3261 §18): requests leave from the port that receives them. Bound to `::`, it serves IPv4 too.
 */
export class UdpTransport {
  readonly #socket: Socket;
  readonly #isIpv6: boolean;
  #closed = false;

  /** Rejects if the port cannot be bound. */
  static async open(options: UdpOptions): Promise<UdpTransport> {
    const socket = createSocket({ type: isIPv6(options.bindAddress) ? 'udp6' : 'udp4', lookup: literalAddress });
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind(options.port, options.bindAddress, () => {
        socket.off('error', reject);
        resolve();
      });
    });
    return new UdpTransport(socket, options);
  }

  private constructor(socket: Socket, options: UdpOptions) {
    this.#socket = socket;
    this.#isIpv6 = isIPv6(options.bindAddress);
    const { address: localAddress, port: localPort } = socket.address();
    try {
      socket.setRecvBufferSize(RECEIVE_BUFFER_BYTES);
    } catch {
      // The kernel's default size is sufficient except for bursts.
    }
    // Transactions detect failed sends by their timers.
    socket.on('error', () => undefined);
    socket.on('message', (bytes, remote) => {
      const address = withoutSocketMapping(remote.address);
      options.onDatagram(bytes, { transport: 'udp', address, port: remote.port, localAddress, localPort });
    });
  }

  get port(): number {
    return this.#socket.address().port;
  }

  /** `onFailed` is called asynchronously. */
  send(hop: Hop, bytes: Uint8Array, onFailed: (fault: string) => void): void {
    if (this.#closed) {
      queueMicrotask(() => onFailed('the socket is closed'));
      return;
    }
    const address = this.#isIpv6 ? withSocketMapping(hop.address) : hop.address;
    this.#socket.send(bytes, hop.port, address, (error) => {
      if (error !== null) onFailed(transportFault(error));
    });
  }

  close(): Promise<void> {
    this.#closed = true;
    return new Promise((resolve) => this.#socket.close(() => resolve()));
  }
}

/** Hops are addresses. Node would ask its resolver about each of them, for each packet. */
function literalAddress(
  address: string,
  _options: unknown,
  found: (error: null, address: string, family: number) => void,
): void {
  found(null, address, isIPv6(address) ? 6 : 4);
}
