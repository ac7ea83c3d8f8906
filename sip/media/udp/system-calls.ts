import { getSystemErrorName } from 'node:util';
import type { LibraryHandle } from 'koffi';

/**
 * The system calls of `EpollSockets`, called in the C library of the process by koffi (30 to 60 ns a call). Pointers are numbers: addresses
 * of array buffers, which never move. Each call returns -1 after an error, whose number `errno` reads.
 */
export interface SystemCalls {
  socket(family: number, type: number, protocol: number): number;
  setsockopt(fd: number, level: number, option: number, value: number, bytes: number): number;
  bind(fd: number, address: number, bytes: number): number;
  connect(fd: number, address: number, bytes: number): number;
  getsockname(fd: number, address: number, bytes: number): number;
  dup3(fd: number, as: number, flags: number): number;
  close(fd: number): number;
  send(fd: number, bytes: number, length: number, flags: number): number;
  sendto(fd: number, bytes: number, length: number, flags: number, to: number, toBytes: number): number;
  recv(fd: number, bytes: number, length: number, flags: number): number;
  recvfrom(fd: number, bytes: number, length: number, flags: number, from: number, fromBytes: number): number;
  epoll_create1(flags: number): number;
  epoll_ctl(epoll: number, operation: number, fd: number, event: number): number;
  epoll_wait(epoll: number, events: number, length: number, timeoutMs: number): number;
  errno(): number;
  /** The address of a buffer's first byte. */
  addressOf(buffer: ArrayBuffer): number;
}

/** The machines whose structures `EpollSockets` knows: both are little-endian, with 64-bit pointers. */
const ARCHITECTURES: readonly string[] = ['x64', 'arm64'];

/**
 * Loads the optional package koffi.
 * @throws Error if this machine or this installation has no system calls that `EpollSockets` could use
 */
export async function loadSystemCalls(): Promise<SystemCalls> {
  if (process.platform !== 'linux' || !ARCHITECTURES.includes(process.arch)) {
    throw new Error(`${process.platform} on ${process.arch} has no epoll sockets`);
  }
  const { default: koffi } = await import('koffi');
  const library = koffi.load(null);
  return {
    ...socketCalls(library),
    ...packetCalls(library),
    epoll_create1: library.func('int epoll_create1(int flags)'),
    epoll_ctl: library.func('int epoll_ctl(int epoll, int operation, int fd, uintptr_t event)'),
    epoll_wait: library.func('int epoll_wait(int epoll, uintptr_t events, int length, int timeout)'),
    errno: () => koffi.errno(),
    addressOf: (buffer) => Number(koffi.address(buffer)),
  };
}

function socketCalls(library: LibraryHandle) {
  return {
    socket: library.func('int socket(int family, int type, int protocol)'),
    setsockopt: library.func('int setsockopt(int fd, int level, int option, uintptr_t value, uint32_t bytes)'),
    bind: library.func('int bind(int fd, uintptr_t address, uint32_t bytes)'),
    connect: library.func('int connect(int fd, uintptr_t address, uint32_t bytes)'),
    getsockname: library.func('int getsockname(int fd, uintptr_t address, uintptr_t bytes)'),
    dup3: library.func('int dup3(int fd, int as, int flags)'),
    close: library.func('int close(int fd)'),
  };
}

function packetCalls(library: LibraryHandle) {
  return {
    send: library.func('intptr_t send(int fd, uintptr_t bytes, size_t length, int flags)'),
    sendto: library.func(
      'intptr_t sendto(int fd, uintptr_t bytes, size_t length, int flags, uintptr_t to, uint32_t toBytes)',
    ),
    recv: library.func('intptr_t recv(int fd, uintptr_t bytes, size_t length, int flags)'),
    recvfrom: library.func(
      'intptr_t recvfrom(int fd, uintptr_t bytes, size_t length, int flags, uintptr_t from, uintptr_t fromBytes)',
    ),
  };
}

/** The error of the last system call, with the `code` that Node gives it. */
export function systemError(calls: SystemCalls, call: string): Error {
  const code = getSystemErrorName(-calls.errno());
  return Object.assign(new Error(`${call} ${code}`), { code, syscall: call });
}
