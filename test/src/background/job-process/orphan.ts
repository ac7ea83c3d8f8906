import { JobProcess } from '../../../../src/background/job-process/job-process.ts';
import type { OddJob } from './odd-job.ts';

// Starts a job that never ends, and reports its start.
const odd = new JobProcess<OddJob, string>(new URL('./odd-job.ts', import.meta.url), { heapMib: 64, residentMib: 400 });
await odd.run({ what: 'echo', text: 'began' }, 60_000);
process.stdout.write(`${odd.pid}\n`);
await odd.run({ what: 'never ends' }, 600_000);
