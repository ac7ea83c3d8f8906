import { JobProcess } from '../../../../src/background/job-process/job-process.ts';
import type { TestJob } from './test-job.ts';

// Starts a job that never ends, and prints the id of its process.
const jobProcess = new JobProcess<TestJob, string>(new URL('./test-job.ts', import.meta.url), {
  heapMib: 64,
  residentMib: 400,
});
await jobProcess.run({ what: 'echo', text: 'started' }, 60_000);
process.stdout.write(`${jobProcess.pid}\n`);
await jobProcess.run({ what: 'never ends' }, 600_000);
