import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { OpenConnections } from '../../../../src/api/connections/open-connections.ts';

it('a request whose client closed before it was admitted takes no place', () => {
  const connections = new OpenConnections(2);
  const raw = new IncomingMessage(new Socket());
  raw.socket.destroy();
  const requests = Array.from({ length: 5 }, () => () => {
    connections.admit({ raw }, { raw: new ServerResponse(raw) }, 'organization');
  });
  for (const request of requests) expect(request).not.toThrow();
});

it('a connection with a second pipelined request in progress is not closed for another one', () => {
  const connections = new OpenConnections(4);
  const sockets = Array.from({ length: 5 }, () => new Socket());
  const [pipelining, ...others] = sockets;
  if (pipelining === undefined) throw new Error('no socket');
  connections.add(pipelining);
  const responses = [1, 2].map(() => {
    const raw = new IncomingMessage(pipelining);
    const response = new ServerResponse(raw);
    connections.admit({ raw }, { raw: response }, 'organization');
    return response;
  });
  responses[0]?.emit('close');
  for (const socket of others) connections.add(socket);
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, true, false, false, false]);
  responses[1]?.emit('close');
  connections.add(new Socket());
  connections.add(new Socket());
  connections.add(new Socket());
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, true, true, true, true]);
  connections.add(new Socket());
  expect(pipelining.destroyed, 'idle since its last response').toBe(true);
});

/** A connection of this address. */
function socketOf(remoteAddress: string): Socket {
  return Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });
}

it('a client that reconnects closes its own connections and not those of other addresses', () => {
  const connections = new OpenConnections(4);
  const others = [socketOf('192.0.2.1'), socketOf('192.0.2.2')];
  for (const socket of others) connections.add(socket);
  const reconnecting = Array.from({ length: 10 }, (_, count) => socketOf(`2001:db8::${count}`));
  for (const socket of reconnecting) connections.add(socket);
  expect(others.map(({ destroyed }) => destroyed)).toEqual([false, false]);
  expect(reconnecting.filter(({ destroyed }) => !destroyed)).toHaveLength(2);
});

it('of addresses with as many connections, the longest waiting connection is closed', () => {
  const connections = new OpenConnections(2);
  const sockets = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map(socketOf);
  for (const socket of sockets) connections.add(socket);
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, false, false]);
});
