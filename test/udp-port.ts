import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';

/** First port of a range outside the kernel's ephemeral ports and the RTP ports of the services. */
const FIRST_PORT = 2_050;
const PORT_COUNT = 7_900;
const ATTEMPTS = 100;

/** A UDP socket on a free even port of `address`. Rejects if none is found. */
export async function bindUdp(address: string): Promise<Socket> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
    try {
      socket.bind(FIRST_PORT + 2 * Math.floor((Math.random() * PORT_COUNT) / 2), address);
      await once(socket, 'listening');
      // An unreachable peer causes a socket error, which only loses that packet.
      socket.on('error', () => undefined);
      return socket;
    } catch {
      socket.close();
    }
  }
  throw new Error(`no free UDP port on ${address}`);
}
