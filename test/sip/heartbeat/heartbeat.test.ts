import { expect, it } from 'vitest';
import { startEmbeddedServer } from '../../../sip/server/embedded-server.ts';
import { hangThread } from './hanging-thread.ts';

it('a SIP server that hangs is killed, and its exit names the reason', async () => {
  const server = await startEmbeddedServer({ bindAddress: '127.0.0.1', port: 0 });
  const exited = new Promise<string>((resolve) => server.onExit(resolve));
  await hangThread('sip');
  expect(await exited).toBe('no heartbeat for 3000 ms');
  await expect(server.statistics()).rejects.toThrow('the SIP server has exited');
});
