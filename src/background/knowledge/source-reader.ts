import { extname } from 'node:path';
import { type JobBounds, JobProcess } from '../job-process/job-process.ts';
import type { Reading, ReadingJob } from './reading-job.ts';

export interface ReadingBounds extends JobBounds {
  /** From the start of the process. A normal document of 1,000 pages takes about 10 s. */
  readonly timeoutMs: number;
}

export const READING_BOUNDS: ReadingBounds = { timeoutMs: 60_000, heapMib: 256, residentMib: 700 };

/** Reads one source in its own process. Never rejects. An abort of `signal` fails the reading. */
export async function readSource(job: ReadingJob, bounds: ReadingBounds, signal: AbortSignal): Promise<Reading> {
  const script = new URL(`./reading-job${extname(import.meta.url)}`, import.meta.url);
  const process = new JobProcess<ReadingJob, Reading>(script, bounds);
  const onAbort = (): void => process.end();
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  const outcome = await process.run(job, bounds.timeoutMs);
  signal.removeEventListener('abort', onAbort);
  process.end();
  if (outcome.type === 'answered') return outcome.answer;
  if (signal.aborted) return failed('the service is stopping');
  if (outcome.type === 'too_long') return failed(`reading the source took longer than ${bounds.timeoutMs / 1_000} s`);
  if (outcome.type === 'too_much_memory') return failed('reading the source needs too much memory');
  return failed('the source is damaged: reading it crashed');
}

function failed(reason: string): Reading {
  return { type: 'failed', reason };
}
