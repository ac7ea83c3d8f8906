import { workerData } from 'node:worker_threads';
import { createAudioFrame } from '../../../../sip/media/worker-channel/audio-frame.ts';
import { RingBuffer } from '../../../../sip/media/worker-channel/ring-buffer.ts';
import { lengthOf, type StressTask } from './stress-frames.ts';

const { memory, gate, capacity, frames, drop }: StressTask = workerData;
const ring = new RingBuffer(memory, 0, capacity);
const state = new Int32Array(gate);
const frame = createAudioFrame();
const payload = new Uint8Array(256);

Atomics.wait(state, 0, 0);
for (let serial = 0; serial < frames; serial++) {
  frame.generation = serial;
  frame.length = lengthOf(serial);
  for (let i = 0; i < frame.length; i++) payload[i] = serial + i;
  if (drop) ring.pushOverOldest(frame, payload, 0);
  else while (!ring.push(frame, payload, 0));
}
Atomics.store(state, 0, 2);
