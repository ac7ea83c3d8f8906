import { expect, it } from 'vitest';
import { WorkerHandle } from '../../../../sip/media/main-thread/worker-handle.ts';

it('ends a media worker only when it has loaded, since terminating it earlier could abort the process', async () => {
  const loaded: string[] = [];
  const handle = new WorkerHandle({
    bindAddress: '127.0.0.1',
    sockets: 'auto',
    onSockets: ({ type }) => loaded.push(type),
    onReleased: () => {},
    onExit: () => {},
  });
  await handle.end();
  expect(loaded).toHaveLength(1);
});
