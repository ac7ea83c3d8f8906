import { describe, expect, it } from 'vitest';
import { createUdpSockets } from '../../../../sip/media/udp/create-udp-sockets.ts';
import { EpollSockets, proveEpollSockets } from '../../../../sip/media/udp/epoll-sockets.ts';
import { loadSystemCalls } from '../../../../sip/media/udp/system-calls.ts';
import { udpSocketsContract } from './udp-sockets-contract.ts';

const FIRST_PORT = 30_000;
/** As a kernel or a filter of system calls would answer. */
const ENOSYS = 38;
const LOOPBACK = '127.0.0.1';
const calls = await loadSystemCalls().catch(() => null);

describe.skipIf(calls === null)('epoll sockets (skipped without Linux or koffi)', () => {
  if (calls === null) return;

  udpSocketsContract('UDP over epoll', FIRST_PORT, (address, wake = () => undefined) => {
    return new EpollSockets(calls, address, wake);
  });

  it('are chosen where a packet to itself arrives', async () => {
    await expect(proveEpollSockets(calls)).resolves.toBeUndefined();
    const { chosen } = await createUdpSockets('auto', LOOPBACK, () => undefined);
    expect(chosen).toEqual({ type: 'epoll', reason: null });
  });

  it.each([
    ['a kernel without epoll', { epoll_create1: () => -1 }, /^epoll_create1 ENOSYS/],
    ['events of another layout', { epoll_wait: () => 0 }, /did not arrive/],
    ['addresses of another layout', { getsockname: () => -1 }, /did not arrive/],
    ['forbidden sockets', { socket: () => -1 }, /^socket ENOSYS/],
  ])('are refused with %s', async (_name, broken, reason) => {
    await expect(proveEpollSockets({ ...calls, ...broken, errno: () => ENOSYS })).rejects.toThrow(reason);
  });

  it.each([1, 2])('send a packet right after %d that a closed port has refused', async (refused) => {
    const sockets = new EpollSockets(calls, LOOPBACK, () => undefined);
    const texts: string[] = [];
    const target = await sockets.bind(0, (packet) => texts.push(Buffer.from(packet).toString()));
    const [source, closed] = [await sockets.bind(0, () => undefined), await sockets.bind(0, () => undefined)];
    const closedPort = closed.port;
    await closed.close();
    source.connect(LOOPBACK, closedPort);
    for (let i = 0; i < refused; i++) source.send(Buffer.from('refused'));
    source.aim(LOOPBACK, target.port);
    source.send(Buffer.from('alive'));
    sockets.receive();
    expect(texts).toEqual(['alive']);
    for (const socket of [target, source]) await socket.close();
    sockets.close();
  });

  it('deliver only a bounded part of a flood in one poll', async () => {
    const sockets = new EpollSockets(calls, LOOPBACK, () => undefined);
    let received = 0;
    const target = await sockets.bind(0, () => received++);
    const flood = await sockets.bind(0, () => undefined);
    flood.connect(LOOPBACK, target.port);
    for (let i = 0; i < 100; i++) flood.send(Uint8Array.of(i));
    sockets.receive();
    expect(received).toBe(32);
    for (const socket of [target, flood]) await socket.close();
    sockets.close();
  });
});

describe('choice of sockets', () => {
  it('follows RTP_SOCKETS=dgram', async () => {
    const { chosen } = await createUdpSockets('dgram', LOOPBACK, () => undefined);
    expect(chosen).toEqual({ type: 'dgram', reason: 'RTP_SOCKETS=dgram' });
  });
});
