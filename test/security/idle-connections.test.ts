import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { DATABASES } from '../postgres/databases.ts';
import { startEmulatedProviders } from '../service/rig/emulated-providers.ts';
import { eventually } from '../service/rig/eventually.ts';
import { type ServiceProcess, startServiceProcess } from '../service/rig/service-process.ts';
import { dialIn, talker } from '../service/rig/staged-call.ts';

const OPEN_FILES = 700;
/** More connections than the process may have open files. */
const CONNECTIONS = 900;
/** A request without a key whose body does not arrive. */
const DRIPPED = 'POST /v1/agents HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{';

function idleConnection(port: number, text: string, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  onTestFinished(() => {
    socket.destroy();
  });
  socket.resume();
  return new Promise((resolve) => {
    socket.once('error', () => resolve(socket)).once('connect', () => socket.write(text, () => resolve(socket)));
  });
}

type Listeners = Pick<ServiceProcess, 'httpUrl' | 'sipPort'>;

function toHttp(text: string): (listeners: Listeners) => Promise<void> {
  return async ({ httpUrl }) => {
    for (let count = 0; count < CONNECTIONS; count++) await idleConnection(Number(new URL(httpUrl).port), text);
  };
}

async function toSip({ sipPort }: Listeners): Promise<void> {
  for (let count = 0; count < CONNECTIONS; count++) await idleConnection(sipPort, '', `127.0.0.${2 + (count % 9)}`);
}

describe.each(DATABASES)('on %s', (_, environment) => {
  it.each([
    { about: 'HTTP connections that send nothing', open: toHttp('') },
    { about: 'HTTP connections that drip a body without a key', open: toHttp(DRIPPED) },
    { about: 'SIP connections of unlisted addresses', open: toSip },
  ])('$about leave the API, SIP and media their file descriptors', async ({ open }) => {
    const providers = await startEmulatedProviders();
    onTestFinished(providers.close);
    const settings = { ...providers.environment, ...(await environment()) };
    const service = await startServiceProcess(settings, `ulimit -n ${OPEN_FILES}`);
    onTestFinished(service.kill);
    const agent = await service.api.createAgent(talker());
    await open(service);
    expect((await readdir(`/proc/${service.child.pid}/fd`)).length).toBeLessThan(OPEN_FILES / 2);
    const call = await dialIn(service, agent.id);
    await call.hangUp();
    await eventually(async () =>
      expect(
        await service.api.requestOk(z.looseObject({ status: z.string() }), 'GET', `/v1/calls/${call.callId}`),
      ).toEqual(expect.objectContaining({ status: 'completed' })),
    );
    expect(service.output()).not.toContain('media worker exited');
  });

  it('a client that reconnects keeps no other client off the HTTP port', async () => {
    const service = await startServiceProcess(await environment(), `ulimit -n ${OPEN_FILES}`);
    onTestFinished(service.kill);
    const port = Number(new URL(service.httpUrl).port);
    const other = connect({ port, host: '127.0.0.1' });
    await once(other, 'connect');
    for (let count = 0; count < CONNECTIONS; count++) await idleConnection(port, '', '127.0.0.2');
    other.write('GET /readyz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    expect(Buffer.concat(await other.toArray()).toString()).toContain('HTTP/1.1 200');
  });
});
