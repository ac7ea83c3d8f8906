import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { linearSamples } from '../../base/audio/linear-samples.ts';
import { PushResampler } from '../audio/push-resampler.ts';
import type { JudgeAnswer, JudgeRequest } from './end-of-turn-worker-messages.ts';
import { FEATURE_RATE_HZ, logMelFeatures } from './log-mel.ts';
import { openModel } from './onnx-session.ts';

/** Computes the features of a pause and asks the model. A failed run leaves that pause to the rules. */
const { path, runtime } = z.object({ path: z.string(), runtime: z.string() }).parse(workerData);
const judge = await openModel(path, runtime);
const FULL_SCALE = 32_768;

function answer(message: JudgeAnswer): void {
  parentPort?.postMessage(message);
}

parentPort?.on('message', async ({ id, audio, format }: JudgeRequest) => {
  try {
    const samples = at16Khz(linearSamples(format, audio), format.sampleRateHz);
    answer({ type: 'judged', id, probability: await judge(logMelFeatures(samples)) });
  } catch (error) {
    answer({ type: 'failed', id, message: error instanceof Error ? error.message : String(error) });
  }
});
// The first run compiles and allocates: no call waits for it.
await judge(logMelFeatures(new Float32Array(FEATURE_RATE_HZ)));
answer({ type: 'ready' });

function at16Khz(samples: Int16Array, rateHz: number): Float32Array {
  if (rateHz === FEATURE_RATE_HZ) return Float32Array.from(samples, (sample) => sample / FULL_SCALE);
  const resampler = new PushResampler(rateHz, FEATURE_RATE_HZ);
  const converted = resampler.take(samples);
  resampler.free();
  return Float32Array.from(converted, (sample) => sample / FULL_SCALE);
}
