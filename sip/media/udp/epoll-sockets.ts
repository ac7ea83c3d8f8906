import { closeSync, openSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { EpollSocket } from './epoll-socket.ts';
import { KernelMemory } from './kernel-memory.ts';
import { AF_INET, AF_INET6, encodeSocketAddress, socketAddressBytes } from './socket-address.ts';
import { loadSystemCalls, type SystemCalls, systemError } from './system-calls.ts';
import { type PacketReceiver, POLL_INTERVAL_MS, type UdpSockets, type WakeListener } from './udp-sockets.ts';

/** Linux' numbers on x64 and arm64: socket(2), ipv6(7), open(2), epoll_ctl(2). */
const SOCK_DGRAM_CLOEXEC_NONBLOCK = 2 | 0o2000000 | 0o4000;
const IPPROTO_IPV6 = 41;
const IPV6_V6ONLY = 26;
const CLOSE_ON_EXEC = 0o2000000;
const EPOLL_CTL_ADD = 1;
const EPOLLIN = 1;
/** Packets of one socket in one poll: a flood at one port delays the packets of the others by no more than these. */
const ROUNDS_MAX = 32;
const LOOPBACK = '127.0.0.1';

/**
 * Sockets of the kernel with one `epoll` instance, which a timer of 1 ms reads: a packet waits at most that long, and
 * costs one system call, without libuv's request, callback and buffer. After a stall, all packets that have arrived are
 * delivered before the loop continues.
 */
export class EpollSockets implements UdpSockets {
  readonly #calls: SystemCalls;
  readonly #memory: KernelMemory;
  readonly #bindAddress: string;
  readonly #wake: WakeListener;
  readonly #epoll: number;
  /** By file descriptor. */
  readonly #sockets: (EpollSocket | undefined)[] = [];
  #open = 0;
  /** One timer for all polls: refreshing it allocates nothing. */
  #timer: NodeJS.Timeout | null = null;
  #isTimerSet = false;
  #isPolled = false;

  /** @throws Error with the system's code if the process has no file descriptor left */
  constructor(calls: SystemCalls, bindAddress: string, wake: WakeListener) {
    this.#calls = calls;
    this.#memory = new KernelMemory(calls);
    this.#bindAddress = bindAddress;
    this.#wake = wake;
    this.#epoll = ownedByThread(calls, calls.epoll_create1(CLOSE_ON_EXEC), 'epoll_create1');
  }

  async bind(port: number, receive: PacketReceiver): Promise<EpollSocket> {
    const isIpv6 = isIPv6(this.#bindAddress);
    const calls = this.#calls;
    const created = calls.socket(isIpv6 ? AF_INET6 : AF_INET, SOCK_DGRAM_CLOEXEC_NONBLOCK, 0);
    const fd = ownedByThread(calls, created, 'socket');
    try {
      this.#bindTo(fd, port, isIpv6);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    const onClose = () => {
      this.#sockets[fd] = undefined;
      this.#open--;
    };
    const socket = new EpollSocket({ calls, memory: this.#memory, fd, isIpv6, receive, onClose });
    this.#sockets[fd] = socket;
    this.#open++;
    this.#setTimer();
    return socket;
  }

  poll(deadlineMs: number): void {
    this.#isPolled = true;
    if (deadlineMs <= performance.now()) setImmediate(this.#turn);
    else this.#setTimer();
  }

  /** Delivers the packets that have arrived. */
  receive(): void {
    const { eventsAt, eventsMax } = this.#memory;
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const ready = this.#calls.epoll_wait(this.#epoll, eventsAt, eventsMax, 0);
      // A receiver may close any socket, also one whose event follows.
      for (let event = 0; event < ready; event++) this.#sockets[this.#memory.eventFd(event)]?.receive();
      if (ready <= 0) return;
    }
  }

  /** Without a socket left, nothing happens until the next `poll` or `bind`. */
  close(): void {
    closeSync(this.#epoll);
  }

  readonly #turn = () => {
    this.receive();
    if (this.#isPolled) {
      this.#isPolled = false;
      this.#wake();
    }
    if (this.#open > 0) this.#setTimer();
  };

  readonly #onTimer = () => {
    this.#isTimerSet = false;
    this.#turn();
  };

  #setTimer(): void {
    if (this.#isTimerSet) return;
    this.#isTimerSet = true;
    if (this.#timer === null) this.#timer = setTimeout(this.#onTimer, POLL_INTERVAL_MS);
    else this.#timer.refresh();
  }

  #bindTo(fd: number, port: number, isIpv6: boolean): void {
    const { address, addressAt, integer, integerAt } = this.#memory;
    const calls = this.#calls;
    integer[0] = 0;
    // Bound to `::`, the socket serves IPv4 too, whatever the machine's default.
    if (isIpv6)
      this.#check(calls.setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, integerAt, integer.byteLength), 'setsockopt');
    encodeSocketAddress(this.#bindAddress, port, isIpv6, address);
    this.#check(calls.bind(fd, addressAt, socketAddressBytes(isIpv6)), 'bind');
    this.#memory.setEvent(EPOLLIN, fd);
    this.#check(calls.epoll_ctl(this.#epoll, EPOLL_CTL_ADD, fd, this.#memory.eventsAt), 'epoll_ctl');
  }

  #check(result: number, call: string): void {
    if (result < 0) throw systemError(this.#calls, call);
  }
}

/**
 * Loads the system calls, and proves with one packet to itself that they work here.
 * @throws Error with the reason why epoll sockets cannot be used
 */
export async function createEpollSockets(bindAddress: string, wake: WakeListener): Promise<EpollSockets> {
  const calls = await loadSystemCalls();
  await proveEpollSockets(calls);
  return new EpollSockets(calls, bindAddress, wake);
}

/** @throws Error if a packet that a socket sends to itself does not arrive, with its source */
export async function proveEpollSockets(calls: SystemCalls): Promise<void> {
  const sockets = new EpollSockets(calls, LOOPBACK, () => undefined);
  const expected = [1, 2, 3];
  let arrived = '';
  try {
    const socket = await sockets.bind(0, (packet, address, port) => {
      arrived = `${packet.join()} ${address} ${port}`;
    });
    const { port } = socket;
    socket.aim(LOOPBACK, port);
    socket.send(Uint8Array.from(expected));
    sockets.receive();
    await socket.close();
    if (port === 0 || arrived !== `${expected.join()} ${LOOPBACK} ${port}`) {
      throw new Error(`a packet from port ${port} to itself did not arrive`);
    }
  } finally {
    sockets.close();
  }
}

/**
 * Moves a file descriptor to a number that Node has opened. When this thread ends, however it ends, Node closes these
 * (`trackUnmanagedFds` of `Worker`), so the successor of a worker that exited can bind its ports.
 */
function ownedByThread(calls: SystemCalls, fd: number, call: string): number {
  if (fd < 0) throw systemError(calls, call);
  try {
    const owned = openSync('/dev/null', 'r');
    if (calls.dup3(fd, owned, CLOSE_ON_EXEC) >= 0) return owned;
    const error = systemError(calls, 'dup3');
    closeSync(owned);
    throw error;
  } finally {
    calls.close(fd);
  }
}
