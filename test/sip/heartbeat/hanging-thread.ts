import { Session } from 'node:inspector/promises';

/** Puts the youngest thread of this name into an endless loop, like a fault in its code, until it is terminated. */
export async function hangThread(name: string): Promise<void> {
  const session = new Session();
  session.connect();
  const threads: { readonly id: number; readonly sessionId: string }[] = [];
  session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
    const id = new RegExp(`^\\[worker (\\d+)\\] ${name}$`).exec(workerInfo.title)?.[1];
    if (id !== undefined) threads.push({ id: Number(id), sessionId });
  });
  await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  const youngest = threads.sort((a, b) => a.id - b.id).at(-1);
  if (youngest === undefined) throw new Error(`no thread is called ${name}`);
  const message = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression: 'for (;;);' } });
  await session.post('NodeWorker.sendMessageToWorker', { sessionId: youngest.sessionId, message });
  session.disconnect();
}
