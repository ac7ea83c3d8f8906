import { workerData } from 'node:worker_threads';

export interface GuardSettings {
  readonly residentMib: number;
  /** The process that gives the jobs. */
  readonly parent: number;
}

/** Between two looks a stream unpacks to some 50 MiB. */
const LOOK_EVERY_MS = 50;
const MIB = 1_048_576;

const { residentMib, parent } = workerData as GuardSettings;

// The thread that does the job may be in a loop that never ends: only another one can look after it.
setInterval(() => {
  if (process.memoryUsage.rss() > residentMib * MIB || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, LOOK_EVERY_MS);
