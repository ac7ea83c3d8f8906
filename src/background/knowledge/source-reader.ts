import { extname } from 'node:path';
import { type JobBounds, JobProcess } from '../job-process/job-process.ts';
import type { Reading, ReadingJob } from './reading-job.ts';

export interface ReadingBounds extends JobBounds {
  /** From the start of the process. An honest document of 1,000 pages takes some 10 s. */
  readonly timeoutMs: number;
}

export const READING_BOUNDS: ReadingBounds = { timeoutMs: 60_000, heapMib: 256, residentMib: 700 };

/** Reads one source in a process of its own, which dies with it. Never rejects. `signal` ends it as failed. */
export async function readSource(order: ReadingJob, bounds: ReadingBounds, signal: AbortSignal): Promise<Reading> {
  const script = new URL(`./reading-job${extname(import.meta.url)}`, import.meta.url);
  const process = new JobProcess<ReadingJob, Reading>(script, bounds);
  const onAbort = (): void => process.end();
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  const outcome = await process.run(order, bounds.timeoutMs);
  signal.removeEventListener('abort', onAbort);
  process.end();
  if (outcome.type === 'answered') return outcome.answer;
  if (signal.aborted) return failed('the service is stopping');
  if (outcome.type === 'too_long') return failed(`reading it took longer than ${bounds.timeoutMs / 1_000} s`);
  if (outcome.type === 'too_much_memory') return failed('reading it takes too much memory');
  return failed('it is damaged: reading it came to no end');
}

function failed(reason: string): Reading {
  return { type: 'failed', reason };
}
