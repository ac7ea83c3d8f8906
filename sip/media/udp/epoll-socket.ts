import { closeSync } from 'node:fs';
import { type KernelMemory, PACKET_BYTES_MAX } from './kernel-memory.ts';
import { decodeSocketAddress, encodeSocketAddress, PacketSource, socketAddressBytes } from './socket-address.ts';
import type { SystemCalls } from './system-calls.ts';
import type { PacketReceiver, UdpSocket } from './udp-sockets.ts';

/** `MSG_DONTWAIT` and, for senders, `MSG_NOSIGNAL` (send(2)): a full buffer loses the packet, nothing waits. */
const RECEIVE_FLAGS = 0x40;
const SEND_FLAGS = 0x4040;
/** The queue is empty (recv(2)). */
const EAGAIN = 11;

export interface EpollSocketOptions {
  readonly calls: SystemCalls;
  readonly memory: KernelMemory;
  /** A bound socket. Closed by `close`. */
  readonly fd: number;
  readonly isIpv6: boolean;
  readonly receive: PacketReceiver;
  readonly onClose: () => void;
}

/** One bound port. Errors of the peer's host (ICMP) are ignored: timeouts and signalling handle them. */
export class EpollSocket implements UdpSocket {
  connected = false;
  readonly #calls: SystemCalls;
  readonly #memory: KernelMemory;
  readonly #fd: number;
  readonly #isIpv6: boolean;
  readonly #addressBytes: number;
  readonly #receiver: PacketReceiver;
  readonly #onClose: () => void;
  readonly #source: PacketSource;
  readonly #destination: Uint8Array;
  #hasDestination = false;
  /** The peer of a connected socket, in the text of the packets' sources. */
  #address = '';
  #port = 0;
  /**
   * All packets in the queue are the peer's. `connect` leaves earlier ones of other sources there, so it must have been
   * empty since.
   */
  #isFiltered = false;
  #closed = false;

  constructor({ calls, memory, fd, isIpv6, receive, onClose }: EpollSocketOptions) {
    this.#calls = calls;
    this.#memory = memory;
    this.#fd = fd;
    this.#isIpv6 = isIpv6;
    this.#addressBytes = socketAddressBytes(isIpv6);
    this.#receiver = receive;
    this.#onClose = onClose;
    this.#source = new PacketSource(isIpv6);
    this.#destination = new Uint8Array(this.#addressBytes);
  }

  get port(): number {
    const { address, addressAt, integer, integerAt } = this.#memory;
    integer[0] = this.#addressBytes;
    this.#calls.getsockname(this.#fd, addressAt, integerAt);
    return decodeSocketAddress(address).port;
  }

  aim(address: string, port: number): void {
    if (this.#closed) return;
    if (this.connected) this.#disconnect();
    this.#hasDestination = encodeSocketAddress(address, port, this.#isIpv6, this.#destination) && port !== 0;
  }

  connect(address: string, port: number): void {
    this.aim(address, port);
    if (this.#closed || !this.#hasDestination) return;
    // Without a route to the address, `send` loses the packets too.
    this.connected = this.#connectTo(this.#destination);
    const peer = decodeSocketAddress(this.#destination);
    this.#address = peer.address;
    this.#port = peer.port;
  }

  send(packet: Uint8Array): void {
    const bytes = packet.byteLength;
    if (this.#closed || !this.#hasDestination || bytes > PACKET_BYTES_MAX) return;
    this.#memory.outgoing.set(packet);
    const isSent = this.#write(bytes);
    // The ICMP error of an earlier packet fails the next call, which then sends nothing (udp(7)).
    if (!isSent) this.#write(bytes);
  }

  /** Sends the outgoing bytes. */
  #write(bytes: number): boolean {
    const { outgoingAt, address, addressAt } = this.#memory;
    if (this.connected) return this.#calls.send(this.#fd, outgoingAt, bytes, SEND_FLAGS) >= 0;
    address.set(this.#destination);
    return this.#calls.sendto(this.#fd, outgoingAt, bytes, SEND_FLAGS, addressAt, this.#addressBytes) >= 0;
  }

  /** Receives the next packet, if there is one. */
  receive(): void {
    if (this.#isFiltered) {
      const bytes = this.#calls.recv(this.#fd, this.#memory.incomingAt, PACKET_BYTES_MAX, RECEIVE_FLAGS);
      if (bytes >= 0) this.#receiver(this.#memory.incoming(bytes), this.#address, this.#port);
      return;
    }
    this.#receiveFromAnyone();
    if (this.connected && !this.#receiveFromAnyone()) this.#isFiltered = this.#calls.errno() === EAGAIN;
  }

  /** False without a packet, and after an ICMP error, which the kernel reports once. */
  #receiveFromAnyone(): boolean {
    const { incomingAt, addressAt, addressWords, integer, integerAt } = this.#memory;
    integer[0] = this.#addressBytes;
    const bytes = this.#calls.recvfrom(this.#fd, incomingAt, PACKET_BYTES_MAX, RECEIVE_FLAGS, addressAt, integerAt);
    if (bytes < 0) return false;
    this.#source.read(addressWords);
    this.#receiver(this.#memory.incoming(bytes), this.#source.address, this.#source.port);
    return true;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.connected = false;
    this.#onClose();
    closeSync(this.#fd);
  }

  /** Connected to no family (`AF_UNSPEC`), a socket is disconnected (connect(2)). */
  #disconnect(): void {
    this.connected = false;
    this.#isFiltered = false;
    this.#connectTo(new Uint8Array(this.#addressBytes));
  }

  #connectTo(address: Uint8Array): boolean {
    this.#memory.address.set(address);
    return this.#calls.connect(this.#fd, this.#memory.addressAt, this.#addressBytes) === 0;
  }
}
