import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { GuardSettings } from './memory-guard-worker.ts';

/** The child side of a `JobProcess`: runs each job and sends its result. */
export function serveJobs<Job, Answer>(answer: (job: Job) => Answer | Promise<Answer>): void {
  const [residentMib, parent] = process.argv.slice(2).map(Number);
  if (residentMib === undefined || parent === undefined) throw new Error('this script must be started by a JobProcess');
  const settings: GuardSettings = { residentMib, parent };
  new Worker(new URL(`./memory-guard-worker${extname(import.meta.url)}`, import.meta.url), {
    workerData: settings,
  }).unref();
  process.on('message', async (job) => process.send?.(await answer(job as Job)));
}
