import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { JobInput, JobOutput } from './job-process.ts';
import type { GuardSettings } from './memory-guard-worker.ts';

/** The link of a job to its parent process. */
export interface JobLink<Sent, Received> {
  post(message: Sent): void;
  onMessage(listener: (message: Received) => void): void;
}

/** The child side of a `JobProcess`: runs each job and sends its result. */
export function serveJobs<Job, Answer, Sent = never, Received = never>(
  answer: (job: Job, link: JobLink<Sent, Received>) => Answer | Promise<Answer>,
): void {
  const [residentMib, parent] = process.argv.slice(2).map(Number);
  if (residentMib === undefined || parent === undefined) throw new Error('this script must be started by a JobProcess');
  const settings: GuardSettings = { residentMib, parent };
  new Worker(new URL(`./memory-guard-worker${extname(import.meta.url)}`, import.meta.url), {
    workerData: settings,
  }).unref();
  const send = (output: JobOutput<Answer, Sent>): void => void process.send?.(output);
  let listen: (message: Received) => void = () => {};
  const link: JobLink<Sent, Received> = {
    post: (message) => send({ type: 'message', message }),
    onMessage(listener) {
      listen = listener;
    },
  };
  process.on('message', async (message) => {
    // The parent process sends nothing else.
    const input = message as JobInput<Job, Received>;
    if (input.type === 'message') listen(input.message);
    else send({ type: 'answer', answer: await answer(input.job, link) });
  });
}
