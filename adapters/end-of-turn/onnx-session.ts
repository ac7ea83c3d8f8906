import { FEATURE_FRAMES, MEL_BANDS } from './log-mel.ts';

/** The optional package that runs the model. */
export const ONNX_RUNTIME = 'onnxruntime-node';

/** Judges the features of 8 s of audio. Resolves to a probability from 0 to 1. */
export type JudgeFeatures = (features: Float32Array) => Promise<number>;

/** The part of `onnxruntime-node` that is used. It is an optional peer dependency, so its types are not imported. */
interface OnnxRuntime {
  readonly InferenceSession: { create(path: string, options: object): Promise<OnnxSession> };
  readonly Tensor: new (type: 'float32', data: Float32Array, shape: readonly number[]) => object;
}

interface OnnxSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(feeds: Readonly<Record<string, object>>): Promise<Readonly<Record<string, { readonly data: ArrayLike<number> }>>>;
}

/** One thread: the model judges one pause of one call, and other threads carry media. */
const SESSION_OPTIONS = { executionMode: 'sequential', interOpNumThreads: 1, intraOpNumThreads: 1 };

/**
 * Opens a model with the inputs and outputs of Smart Turn v3: features of `MEL_BANDS` × `FEATURE_FRAMES`, one probability.
 *
 * @param runtime name or path of the module `onnxruntime-node`
 * @throws if the runtime is not installed or the file is not a model
 */
export async function openModel(path: string, runtime: string): Promise<JudgeFeatures> {
  const loaded: unknown = await import(runtime);
  if (!isRuntime(loaded)) throw new Error(`${runtime} is not an ONNX runtime. Install onnxruntime-node`);
  const { InferenceSession, Tensor } = loaded;
  const session = await InferenceSession.create(path, SESSION_OPTIONS);
  const [input] = session.inputNames;
  const [output] = session.outputNames;
  if (input === undefined || output === undefined) throw new Error('the model has no input or no output');
  return async (features) => {
    const tensor = new Tensor('float32', features, [1, MEL_BANDS, FEATURE_FRAMES]);
    const probability = (await session.run({ [input]: tensor }))[output]?.data[0];
    if (probability === undefined || !(probability >= 0 && probability <= 1)) {
      throw new Error('the model gave no probability. It needs the outputs of Smart Turn v3');
    }
    return probability;
  };
}

function isRuntime(loaded: unknown): loaded is OnnxRuntime {
  return typeof loaded === 'object' && loaded !== null && 'InferenceSession' in loaded && 'Tensor' in loaded;
}
