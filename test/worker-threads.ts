import type { Worker } from 'node:worker_threads';

/** The running worker threads that this process has started since it loaded this module, in order. */
const running = new Set<Worker>();

process.on('worker', (worker) => {
  running.add(worker);
  worker.once('exit', () => running.delete(worker));
});

/** Ends a thread as a crash would. Without effect if it does not run. */
export async function terminateThread(threadId: number | null | undefined): Promise<void> {
  for (const worker of running) if (worker.threadId === threadId) await worker.terminate();
}

/** Ends the worker of the embedded SIP server that was started last, as a crash would. */
export async function terminateSipServer(): Promise<void> {
  await [...running].findLast(({ threadName }) => threadName === 'sip')?.terminate();
}
