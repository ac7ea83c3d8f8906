import { describe, expect, it } from 'vitest';
import { WorkerEndOfTurnModel } from '../../../adapters/end-of-turn/worker-end-of-turn-model.ts';
import { encodeMulaw } from '../../../base/audio/g711.ts';

const RUNTIME = new URL('./stub-runtime.ts', import.meta.url).href;
const MULAW = { encoding: 'mulaw', sampleRateHz: 8_000 } as const;
const LATE_MS = 81;
const HANG_MS = 10_000;
const LOAD_MS_MAX = 60_000;
const RELOAD_AFTER_MS = 60_000;

/** A model that has loaded or failed. */
async function opened(path: string, runtime = RUNTIME) {
  const time = { ms: 0 };
  const failures: unknown[] = [];
  const settled = Promise.withResolvers<void>();
  const reloaded = Promise.withResolvers<void>();
  let loads = 0;
  const model = new WorkerEndOfTurnModel({
    path,
    runtime,
    nowMs: () => time.ms,
    onReady: () => (++loads === 1 ? settled : reloaded).resolve(),
    onFailed: (error) => {
      failures.push(error);
      settled.resolve();
    },
  });
  await settled.promise;
  return { model, time, failures, reloaded: reloaded.promise };
}

function tone(): Uint8Array {
  const samples = Int16Array.from({ length: 16_000 }, (_, n) => 8_000 * Math.sin((2 * Math.PI * 440 * n) / 8_000));
  const audio = new Uint8Array(samples.length);
  encodeMulaw(samples, 0, samples.length, audio);
  return audio;
}

const judged = (model: WorkerEndOfTurnModel, audio: Uint8Array) =>
  new Promise<number>((resolve) => void model.judge(audio, MULAW, resolve));

describe('the acoustic end-of-turn model', () => {
  it('answers with the probability for the audio of a pause', async () => {
    const { model, failures } = await opened('model.onnx');
    expect(await judged(model, tone())).toBe(0.9);
    expect(await judged(model, new Uint8Array(8_000).fill(0xff))).toBe(0.1);
    expect(failures).toEqual([]);
    await model.close();
  });

  it('drops an answer that takes longer than 80 ms', async () => {
    const { model, time } = await opened('model.onnx');
    const answers: number[] = [];
    model.judge(tone(), MULAW, (probability) => answers.push(probability));
    time.ms += LATE_MS;
    // Answers come in order: the late one is dropped before this one.
    await judged(model, tone());
    expect(answers).toEqual([]);
    await model.close();
  });

  it('leaves a pause to the rules while four wait', async () => {
    const { model } = await opened('model.onnx');
    const answers: string[] = [];
    for (const name of ['1', '2', '3']) model.judge(tone(), MULAW, () => answers.push(name));
    const fourth = judged(model, tone());
    model.judge(tone(), MULAW, () => answers.push('5'));
    await fourth;
    await judged(model, tone());
    expect(answers).toEqual(['1', '2', '3']);
    await model.close();
  });

  it.each([
    ['the file is missing', 'missing.onnx', RUNTIME],
    ['the runtime is not installed', 'model.onnx', 'onnxruntime-that-is-not-installed'],
    ['the module is no runtime', 'model.onnx', 'node:path'],
  ])('reports once that %s, and answers nothing', async (_case, path, runtime) => {
    const { model, failures } = await opened(path, runtime);
    expect(failures).toHaveLength(1);
    model.judge(tone(), MULAW, () => expect.unreachable());
    await model.close();
    expect(failures).toHaveLength(1);
  });

  it('ends a worker that does not answer within 10 s, and reports it once', async () => {
    const { model, time, failures } = await opened('hangs.onnx');
    model.judge(tone(), MULAW, () => expect.unreachable());
    time.ms += HANG_MS;
    model.judge(tone(), MULAW, () => expect.unreachable());
    expect(failures).toEqual([]);
    time.ms++;
    for (let pause = 0; pause < 3; pause++) model.judge(tone(), MULAW, () => expect.unreachable());
    expect(failures).toHaveLength(1);
    expect(String(failures[0])).toContain('END_OF_TURN_MODEL');
    await model.close();
    expect(failures).toHaveLength(1);
  });

  it('ends a worker that does not load within 60 s, and reports it once', () => {
    const time = { ms: 0 };
    const failures: unknown[] = [];
    const onFailed = (error: unknown) => void failures.push(error);
    const model = new WorkerEndOfTurnModel({
      path: 'never-loads.onnx',
      runtime: RUNTIME,
      nowMs: () => time.ms,
      onFailed,
    });
    time.ms = LOAD_MS_MAX;
    model.judge(tone(), MULAW, () => expect.unreachable());
    expect(failures).toEqual([]);
    time.ms++;
    for (let pause = 0; pause < 3; pause++) model.judge(tone(), MULAW, () => expect.unreachable());
    expect(failures).toHaveLength(1);
    return model.close();
  });

  it('leaves the pause of a failed run to the rules, and judges the next one', async () => {
    const { model, failures } = await opened('breaks-once.onnx');
    model.judge(tone(), MULAW, () => expect.unreachable());
    expect(await judged(model, tone())).toBe(0.9);
    expect(failures).toEqual([]);
    await model.close();
  });

  it.each(['breaks.onnx', 'no-probability.onnx'])('reports five failed runs in a row (%s)', async (path) => {
    const failed = Promise.withResolvers<unknown>();
    const ready = Promise.withResolvers<void>();
    const time = { ms: 0 };
    const nowMs = () => time.ms;
    const options = { path, runtime: RUNTIME, nowMs, onReady: ready.resolve, onFailed: failed.resolve };
    const model = new WorkerEndOfTurnModel(options);
    await ready.promise;
    // The queue takes four pauses; a fifth is asked once the first has failed.
    const asking = setInterval(() => model.judge(tone(), MULAW, () => expect.unreachable()), 1);
    expect(String(await failed.promise)).toContain('5 runs failed in a row');
    clearInterval(asking);
    await model.close();
  });

  it('is loaded again a minute after a hang', async () => {
    const { model, time, failures, reloaded } = await opened('hangs.onnx');
    model.judge(tone(), MULAW, () => expect.unreachable());
    time.ms += HANG_MS + 1;
    model.judge(tone(), MULAW, () => expect.unreachable());
    expect(failures).toHaveLength(1);
    time.ms += RELOAD_AFTER_MS + 1;
    model.judge(tone(), MULAW, () => expect.unreachable());
    await reloaded;
    await model.close();
    expect(failures).toHaveLength(1);
  });
});
