import { once } from 'node:events';
import { connect } from 'node:net';
import { parseMessage } from '../../sip/message/parse-message.ts';
import type { SipMessage } from '../../sip/message/sip-message.ts';
import { StreamFramer } from '../../sip/message/stream-framer.ts';
import { bindUdp } from '../udp-port.ts';

export interface Hop {
  readonly host: string;
  readonly port: number;
}

/** `host:port` of a URI, an IPv6 address in brackets. */
export function hostPortOf({ host, port }: Hop): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

export interface SipTransport {
  readonly protocol: 'UDP' | 'TCP';
  readonly local: Hop;
  /** Sends a message; over TCP always to the connected peer. */
  send(bytes: Uint8Array, to: Hop): void;
  /** Resolves after all messages were sent. */
  close(): Promise<void>;
}

/** Opens the caller's SIP socket. `onMessage` gets parsed messages, `onFault` the other ones. */
export function openSipTransport(
  protocol: 'UDP' | 'TCP',
  localAddress: string,
  peer: Hop,
  onMessage: (message: SipMessage) => void,
  onFault: (fault: string) => void,
): Promise<SipTransport> {
  return protocol === 'UDP'
    ? openUdp(localAddress, onMessage, onFault)
    : openTcp(localAddress, peer, onMessage, onFault);
}

async function openUdp(
  localAddress: string,
  onMessage: (message: SipMessage) => void,
  onFault: (fault: string) => void,
): Promise<SipTransport> {
  const socket = await bindUdp(localAddress);
  let leaving = Promise.resolve();
  socket.on('message', (bytes) => {
    const parsed = parseMessage(bytes);
    if (parsed.ok) onMessage(parsed.message);
    else onFault(parsed.fault);
  });
  return {
    protocol: 'UDP',
    local: { host: localAddress, port: socket.address().port },
    send: (bytes, to) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      socket.send(bytes, to.port, to.host, () => resolve());
      leaving = Promise.all([leaving, promise]).then(() => undefined);
    },
    close: async () => {
      await leaving;
      socket.close();
    },
  };
}

async function openTcp(
  localAddress: string,
  peer: Hop,
  onMessage: (message: SipMessage) => void,
  onFault: (fault: string) => void,
): Promise<SipTransport> {
  const socket = connect({ host: peer.host, port: peer.port, localAddress });
  await once(socket, 'connect');
  const framer = new StreamFramer();
  socket.on('error', (error) => onFault(error.message));
  socket.on('close', () => onFault('the connection closed'));
  socket.on('data', (chunk) => {
    for (const event of framer.push(chunk)) {
      if (event.type === 'message') {
        const parsed = parseMessage(event.bytes);
        if (parsed.ok) onMessage(parsed.message);
        else onFault(parsed.fault);
      } else if (event.type === 'fault') onFault(event.fault);
    }
  });
  return {
    protocol: 'TCP',
    local: { host: localAddress, port: socket.localPort ?? 0 },
    send: (bytes) => void socket.write(bytes),
    close: async () => {
      if (socket.destroyed) return;
      const closed = once(socket, 'close');
      socket.end();
      socket.resume();
      setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS).unref();
      await closed;
    },
  };
}

/** Time for the peer to close its side of the connection. */
const CLOSE_TIMEOUT_MS = 500;
