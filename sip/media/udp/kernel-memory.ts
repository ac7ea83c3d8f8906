import type { SystemCalls } from './system-calls.ts';

/** The largest payload of UDP, rounded up: no packet is truncated, as with `dgram`. */
export const PACKET_BYTES_MAX = 65_536;
/** Size of `sockaddr_in6`, the larger one. */
const ADDRESS_BYTES = 28;
/** `struct epoll_event` is packed on x64 alone: events 4 | data 8. Elsewhere, 4 bytes lie between. */
const EVENT_WORDS = process.arch === 'x64' ? 3 : 4;
const EVENT_DATA_WORD = process.arch === 'x64' ? 1 : 2;
/** Sockets of one `epoll_wait`. More wait for the next one, which continues after them. */
const EVENTS_MAX = 1024;
/** Views of shorter packets are kept, so that no packet allocates one. Ethernet carries less; 16 KB of views in all. */
const KEPT_VIEW_BYTES = 2048;

/**
 * The memory of all system calls of one thread, allocated once. Calls follow each other, so each field is used by one call
 * at a time.
 */
export class KernelMemory {
  readonly outgoing = new Uint8Array(new ArrayBuffer(PACKET_BYTES_MAX));
  readonly outgoingAt: number;
  readonly incomingAt: number;
  /** A socket address for the kernel, or from it. */
  readonly address = new Uint8Array(new ArrayBuffer(ADDRESS_BYTES));
  readonly addressWords = new Uint32Array(this.address.buffer);
  readonly addressAt: number;
  /** One integer: an option's value, or the length of `address`. */
  readonly integer = new Int32Array(new ArrayBuffer(4));
  readonly integerAt: number;
  readonly eventsAt: number;
  readonly eventsMax = EVENTS_MAX;
  readonly #incoming = new ArrayBuffer(PACKET_BYTES_MAX);
  readonly #views: (Uint8Array | undefined)[] = [];
  readonly #events = new Int32Array(new ArrayBuffer(EVENTS_MAX * EVENT_WORDS * 4));

  constructor({ addressOf }: SystemCalls) {
    this.outgoingAt = addressOf(this.outgoing.buffer);
    this.incomingAt = addressOf(this.#incoming);
    this.addressAt = addressOf(this.address.buffer);
    this.integerAt = addressOf(this.integer.buffer);
    this.eventsAt = addressOf(this.#events.buffer);
  }

  /** The received packet of this length. */
  incoming(length: number): Uint8Array {
    if (length >= KEPT_VIEW_BYTES) return new Uint8Array(this.#incoming, 0, length);
    const kept = this.#views[length] ?? new Uint8Array(this.#incoming, 0, length);
    this.#views[length] = kept;
    return kept;
  }

  /** Writes the first event, for `epoll_ctl`. */
  setEvent(events: number, fd: number): void {
    this.#events[0] = events;
    this.#events[EVENT_DATA_WORD] = fd;
  }

  /** The socket of an event that `epoll_wait` wrote. */
  eventFd(event: number): number {
    return this.#events[event * EVENT_WORDS + EVENT_DATA_WORD] ?? -1;
  }
}
