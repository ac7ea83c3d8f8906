import { Worker } from 'node:worker_threads';
import { createAudioFrame } from '../../../../sip/media/worker-channel/audio-frame.ts';
import { RingBuffer } from '../../../../sip/media/worker-channel/ring-buffer.ts';
import { lengthOf, type StressOptions, type StressTask } from './stress-frames.ts';

export interface StressOutcome {
  readonly taken: number;
  readonly dropped: number;
  readonly torn: number;
  readonly disordered: number;
  readonly last: number;
}

/** A producer in another thread fills the ring as fast as it can, while this thread empties it. */
export async function stressRing(options: StressOptions): Promise<StressOutcome> {
  const memory = new SharedArrayBuffer(RingBuffer.byteLength(options.capacity));
  const gate = new SharedArrayBuffer(4);
  const task: StressTask = { ...options, memory, gate };
  const worker = new Worker(new URL('./ring-buffer-stress-worker.ts', import.meta.url), { workerData: task });
  const ended = new Promise<void>((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', () => resolve());
  });
  await new Promise<void>((resolve) => worker.once('online', resolve));
  const outcome = consume(new RingBuffer(memory, 0, options.capacity), new Int32Array(gate), options.drop);
  await ended;
  return outcome;
}

function consume(ring: RingBuffer, gate: Int32Array, drop: boolean): StressOutcome {
  const frame = createAudioFrame();
  const payload = new Uint8Array(256);
  let taken = 0;
  let torn = 0;
  let disordered = 0;
  let last = -1;
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
  for (;;) {
    const ended = Atomics.load(gate, 0) === 2;
    const hasFrame = drop ? ring.take(frame, payload) : ring.peek(frame);
    if (!hasFrame) {
      if (ended) return { taken, dropped: ring.dropped, torn, disordered, last };
      continue;
    }
    if (!drop) ring.copy(0, payload, 0, frame.length);
    const serial = frame.generation;
    if (serial <= last) disordered++;
    if (!isWhole(serial, frame.length, payload)) torn++;
    last = serial;
    taken++;
    if (!drop) ring.shift();
  }
}

function isWhole(serial: number, length: number, payload: Uint8Array): boolean {
  if (length !== lengthOf(serial)) return false;
  for (let i = 0; i < length; i++) if (payload[i] !== ((serial + i) & 0xff)) return false;
  return true;
}
