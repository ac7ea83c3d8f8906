import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { GuardSettings } from './guard-worker.ts';

/** The other end of a `JobProcess`: does each job that comes, and sends what came of it. */
export function serveJobs<Job, Answer>(answer: (job: Job) => Answer | Promise<Answer>): void {
  const [residentMib, parent] = process.argv.slice(2).map(Number);
  if (residentMib === undefined || parent === undefined) throw new Error('to be started by a JobProcess');
  const order: GuardSettings = { residentMib, parent };
  new Worker(new URL(`./guard-worker${extname(import.meta.url)}`, import.meta.url), { workerData: order }).unref();
  process.on('message', async (job) => process.send?.(await answer(job as Job)));
}
