import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Reading, ReadingOrder } from './reading-worker.ts';

export interface ReadingBounds {
  /** From the start of the worker. An honest document of 1,000 pages takes some 10 s. */
  readonly timeoutMs: number;
  /** Of JavaScript objects, MiB. */
  readonly heapMib: number;
  /** Of what a worker holds besides, MiB: a stream of a few KiB can unpack to many GiB of bytes, which no heap limit sees. */
  readonly bytesMib: number;
}

export const READING_BOUNDS: ReadingBounds = { timeoutMs: 60_000, heapMib: 256, bytesMib: 384 };
/** From one look at what the worker holds to the next; between two it can unpack some 50 MiB. */
const LOOK_EVERY_MS = 50;
const MIB = 1_048_576;

/** Reads one source in a worker of its own, which dies with it. Never rejects. `signal` ends it as failed. */
export function read(order: ReadingOrder, bounds: ReadingBounds, signal: AbortSignal): Promise<Reading> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL(`./reading-worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: order,
      resourceLimits: { maxOldGenerationSizeMb: bounds.heapMib },
      stdout: true,
      stderr: true,
    });
    // What the library prints is nobody's.
    worker.stdout.resume();
    worker.stderr.resume();
    let settled = false;
    const end = (reading: Reading): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      clearInterval(watch);
      signal.removeEventListener('abort', onAbort);
      worker.terminate().then(
        () => resolve(reading),
        () => resolve(reading),
      );
    };
    const fail = (reason: string): void => end({ type: 'failed', reason });
    const onAbort = (): void => fail('the service is stopping');
    const timer = setTimeout(() => fail(`reading it took longer than ${bounds.timeoutMs / 1_000} s`), bounds.timeoutMs);
    const watch = setInterval(() => {
      worker.getHeapStatistics().then(
        ({ external_memory }) => {
          if (external_memory > bounds.bytesMib * MIB) fail('reading it takes too much memory');
        },
        // The worker has ended: its end is told by itself.
        () => {},
      );
    }, LOOK_EVERY_MS);
    worker.on('message', end);
    worker.on('error', (error: Error & { readonly code?: string }) => {
      const outOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      fail(outOfMemory ? 'reading it takes too much memory' : 'it is damaged: it cannot be read');
    });
    worker.on('exit', () => fail('it is damaged: reading it came to no end'));
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
}
