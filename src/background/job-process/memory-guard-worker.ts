import { workerData } from 'node:worker_threads';

export interface GuardSettings {
  readonly residentMib: number;
  /** Id of the parent process, which sends the jobs. */
  readonly parent: number;
}

/** Check interval. In this time a stream unpacks to about 50 MiB. */
const CHECK_INTERVAL_MS = 50;
const MIB = 1_048_576;

const { residentMib, parent } = workerData as GuardSettings;

// The job may block its thread forever: only another thread can stop it.
setInterval(() => {
  if (process.memoryUsage.rss() > residentMib * MIB || process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
}, CHECK_INTERVAL_MS);
