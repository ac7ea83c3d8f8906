import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { PostgresLink } from '../../../../src/storage/postgres/postgres-link.ts';

/** A message of the protocol: type, length with itself, body (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

const AUTHENTICATION_OK = message('R', Buffer.alloc(4));
const READY_FOR_QUERY = message('Z', Buffer.from('I'));
const ADMIN_SHUTDOWN = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0'));

const WRONG_PASSWORD = message('E', Buffer.from('SFATAL\0C28P01\0Mpassword authentication failed\0\0'));

it.each([
  ['terminates at the moment when it becomes ready', [AUTHENTICATION_OK, READY_FOR_QUERY, ADMIN_SHUTDOWN]],
  ['refuses because its password was changed', [WRONG_PASSWORD]],
])('reports a connection that the server %s as unavailable', async (_name, answer) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat(answer)));
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : null;
  const opening = PostgresLink.open(`postgres://trunkline@127.0.0.1:${port}/postgres`, 'writer');
  await expect(opening).rejects.toMatchObject({ name: 'DatabaseError', fault: 'unavailable' });
});
