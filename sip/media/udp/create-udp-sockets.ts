import { createDgramSockets } from './dgram-sockets.ts';
import { createEpollSockets } from './epoll-sockets.ts';
import type { ChosenSockets, UdpSocketChoice, UdpSockets, WakeListener } from './udp-sockets.ts';

/** The sockets of one media worker, chosen once. Never rejects: `dgram` works on every machine. */
export async function createUdpSockets(
  choice: UdpSocketChoice,
  bindAddress: string,
  wake: WakeListener,
): Promise<{ readonly sockets: UdpSockets; readonly chosen: ChosenSockets }> {
  const dgram = (reason: string) => ({
    sockets: createDgramSockets(bindAddress, wake),
    chosen: { type: 'dgram', reason } as const,
  });
  if (choice === 'dgram') return dgram('RTP_SOCKETS=dgram');
  try {
    return { sockets: await createEpollSockets(bindAddress, wake), chosen: { type: 'epoll', reason: null } };
  } catch (error) {
    return dgram(error instanceof Error ? error.message : String(error));
  }
}
