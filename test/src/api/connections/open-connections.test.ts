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
