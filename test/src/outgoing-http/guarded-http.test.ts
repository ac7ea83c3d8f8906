import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { AddressPolicy } from '../../../base/network/address-policy.ts';
import { parseAddressRanges } from '../../../base/network/address-range.ts';
import { GuardedHttp, type GuardedRequest, type ResolveName } from '../../../src/outgoing-http/guarded-http.ts';
import { LoopbackServer } from '../../providers/loopback-server.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

function client(allow: string, resolve: ResolveName = async () => []): GuardedHttp {
  const http = new GuardedHttp(
    new AddressPolicy({
      allow: parseAddressRanges(allow),
      ownListeners: () => [],
      localAddresses: () => [],
    }),
    resolve,
  );
  closers.push(() => http.close());
  return http;
}

async function serve(listener: RequestListener): Promise<LoopbackServer> {
  const loopback = await LoopbackServer.listen(listener);
  closers.push(() => loopback.close());
  return loopback;
}

function get(url: string, changes: Partial<GuardedRequest> = {}): GuardedRequest {
  return { url, method: 'GET', headers: {}, timeoutMs: 5_000, responseBytesMax: 1_000, ...changes };
}

const text = (body: Uint8Array): string => Buffer.from(body).toString();

describe('the guarded client', () => {
  it('connects to an allowed address and returns the whole response', async () => {
    const { port } = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on('end', () => {
        response.writeHead(201, { 'content-type': 'text/plain' }).end(`${request.method} ${request.url} ${body}`);
      });
    });
    const answer = await client('127.0.0.1').request(
      get(`http://127.0.0.1:${port}/a?b=c`, { method: 'POST', body: 'hello' }),
    );
    expect(answer).toMatchObject({ status: 201, contentType: 'text/plain', cutOff: false });
    expect(text(answer.body)).toBe('POST /a?b=c hello');
  });

  it.each(['127.0.0.1', '2130706433', '0x7f000001', '0177.0.0.1', '127.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0'])(
    'opens no socket to the literal %s',
    async (host) => {
      let reached = 0;
      const { http: server, port } = await serve((_, response) => response.end('inside'));
      server.on('connection', () => {
        reached += 1;
      });
      const outcome = client('', async () => {
        throw new Error('a literal address is not to be resolved');
      }).request(get(`http://${host}:${port}/`));
      await expect(outcome).rejects.toMatchObject({ code: 'refused_address' });
      expect(reached).toBe(0);
    },
  );

  it('opens no socket if a name resolves to refused addresses only', async () => {
    let reached = 0;
    const { http: server, port } = await serve((_, response) => response.end('inside'));
    server.on('connection', () => {
      reached += 1;
    });
    const outcome = client('', async () => ['127.0.0.1', '::1']).request(get(`http://rebound.example:${port}/`));
    await expect(outcome).rejects.toMatchObject({ code: 'refused_address' });
    expect(reached).toBe(0);
  });

  it('leaves out the refused addresses of a name', async () => {
    const { port } = await serve((request, response) => response.end(`for ${request.headers.host}`));
    const answer = await client('127.0.0.1', async () => ['10.0.0.1', '127.0.0.1']).request(
      get(`http://mixed.example:${port}/`),
    );
    expect(text(answer.body)).toBe(`for mixed.example:${port}`);
  });

  it('resolves the name once for each connection, and connects to that result', async () => {
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    let lookups = 0;
    const { port } = await serve((_, response) => response.end('first'));
    const http = client('127.0.0.1', async () => answers[lookups++] ?? []);
    const answer = await http.request(get(`http://rebound.example:${port}/`));
    expect([text(answer.body), lookups]).toEqual(['first', 1]);
  });

  it('does not follow a redirect', async () => {
    let requests = 0;
    const { port } = await serve((_, response) => {
      requests += 1;
      response.writeHead(302, { location: 'http://169.254.169.254/latest/' }).end();
    });
    const answer = await client('127.0.0.1').request(get(`http://127.0.0.1:${port}/`));
    expect([answer.status, requests]).toEqual([302, 1]);
  });

  it('accepts a body up to the size limit, and fails at one byte more', async () => {
    const { port } = await serve((request, response) => response.end('x'.repeat(Number(request.url?.slice(1)))));
    const http = client('127.0.0.1');
    const whole = await http.request(get(`http://127.0.0.1:${port}/1000`));
    expect([whole.body.byteLength, whole.cutOff]).toEqual([1000, false]);
    const cut = await http.request(get(`http://127.0.0.1:${port}/1001`));
    expect([cut.body.byteLength, cut.cutOff]).toEqual([1000, true]);
  });

  it('stops reading a body without an end, and closes its connection', async () => {
    let closed = (): void => {};
    const closing = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const { port } = await serve((request, response) => {
      request.socket.on('close', closed);
      const more = (): void => {
        while (response.write('y'.repeat(10_000)));
        response.once('drain', more);
      };
      more();
    });
    const answer = await client('127.0.0.1').request(get(`http://127.0.0.1:${port}/`));
    expect(answer.cutOff).toBe(true);
    await closing;
  });

  it('times out on a silent server, and on a server that stops in the middle of the body', async () => {
    const { port } = await serve((request, response) => {
      if (request.url === '/body') response.writeHead(200).write('a');
    });
    const http = client('127.0.0.1');
    for (const path of ['/silent', '/body']) {
      const outcome = http.request(get(`http://127.0.0.1:${port}${path}`, { timeoutMs: 50 }));
      await expect(outcome, path).rejects.toMatchObject({ code: 'timeout' });
    }
  });

  it('times out on a name that never resolves', async () => {
    const outcome = client('', () => new Promise(() => {})).request(get('http://slow.example/', { timeoutMs: 50 }));
    await expect(outcome).rejects.toMatchObject({ code: 'timeout' });
  });

  it('reports a name without an address, and a name that fails to resolve', async () => {
    await expect(client('').request(get('http://none.example/'))).rejects.toMatchObject({ code: 'not_found' });
    const failing = client('', async () => {
      throw new Error('SERVFAIL');
    });
    await expect(failing.request(get('http://none.example/'))).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each(['ftp://8.8.8.8/', 'file:///etc/passwd', 'nonsense', 'http://', 'http://user:secret@8.8.8.8/'])(
    'refuses the URL %s',
    async (url) => {
      await expect(client('').request(get(url))).rejects.toMatchObject({ code: 'invalid_url' });
    },
  );

  it('reports a closed port, a peer that resets, and a peer without HTTP', async () => {
    const { http: server, port } = await serve(() => {});
    server.on('connection', (socket) => {
      socket.removeAllListeners('data');
      socket.end('SSH-2.0-nothing\r\n\r\n');
    });
    const http = client('127.0.0.1');
    await expect(http.request(get(`http://127.0.0.1:${port}/`))).rejects.toMatchObject({ code: 'unreachable' });
    await expect(http.request(get('http://127.0.0.1:1/'))).rejects.toMatchObject({ code: 'unreachable' });
    await expect(http.request(get(`https://127.0.0.1:${port}/`))).rejects.toMatchObject({ code: 'unreachable' });
  });

  it('fails as unreachable, not with another error, on a header that would inject a line', async () => {
    const { port } = await serve((_, response) => response.end());
    const outcome = client('127.0.0.1').request(
      get(`http://127.0.0.1:${port}/`, { headers: { 'x-a': 'b\r\nx-injected: c' } }),
    );
    await expect(outcome).rejects.toMatchObject({ name: 'HttpGuardError' });
  });

  it('ends requests in flight when it is closed', async () => {
    const { http: server, port } = await serve(() => {});
    const http = client('127.0.0.1');
    const outcome = http.request(get(`http://127.0.0.1:${port}/`));
    const refusal = expect(outcome).rejects.toMatchObject({ code: 'closed' });
    await once(server, 'request');
    await http.close();
    await refusal;
  });
});
