import { createEspeakVoice } from '../../adapters/espeak/voice.ts';
import { durationMs } from '../../base/audio/audio-format.ts';
import type { ProviderError } from '../../engine/ports/provider-error.ts';
import type { VoiceEvent } from '../../engine/ports/voice.ts';
import { childrenCpuMeter, cpuMeter } from '../cpu-meter.ts';
import { monotonicMs } from '../monotonic-clock.ts';

/** Until the code is compiled, and espeak-ng and its voice have been read from the disk. */
const WARM_UP_SEGMENTS = 10;

export interface EspeakMeasurement {
  /** From `speak` to the first audio, including the start of the process. */
  readonly firstAudioMs: readonly number[];
  /** From `speak` to the end, as a share of the length of the audio. */
  readonly realTimeFactors: readonly number[];
  readonly speechMs: number;
  /** CPU of this process, and of the espeak-ng processes. */
  readonly cpuMs: number;
  readonly programCpuMs: number;
}

interface Spoken {
  readonly firstAudioMs: number;
  readonly tookMs: number;
  readonly speechMs: number;
}

/** Measures the installed espeak-ng, one process after another. Returns the error if it is not installed. */
export async function measureEspeak(text: string, segments: number): Promise<EspeakMeasurement | ProviderError> {
  let reported: (event: VoiceEvent) => void = () => undefined;
  const format = { encoding: 'mulaw', sampleRateHz: 8_000 } as const;
  const options = { provider: 'espeak', name: 'default', language: 'en', speed: 1, format };
  const stream = createEspeakVoice({ path: 'espeak-ng' }).open(options, (event) => reported(event));

  const speak = (segment: number): Promise<Spoken | ProviderError> =>
    new Promise((resolve) => {
      const requestedAtMs = monotonicMs();
      let firstAudioMs = Number.NaN;
      let speechMs = 0;
      reported = (event) => {
        const tookMs = monotonicMs() - requestedAtMs;
        if (event.type === 'failed') resolve(event.error);
        if (event.type === 'done') resolve({ firstAudioMs, tookMs, speechMs });
        if (event.type !== 'audio') return;
        if (speechMs === 0) firstAudioMs = tookMs;
        speechMs += durationMs(event.format, event.audio.length);
      };
      stream.speak(segment, text);
    });

  const spoken: Spoken[] = [];
  let [cpu, programCpu] = [cpuMeter(), childrenCpuMeter()];
  for (let nth = 0; nth < WARM_UP_SEGMENTS + segments; nth++) {
    if (nth === WARM_UP_SEGMENTS) [cpu, programCpu] = [cpuMeter(), childrenCpuMeter()];
    const result = await speak(nth);
    if ('code' in result) {
      stream.close();
      return result;
    }
    if (nth >= WARM_UP_SEGMENTS) spoken.push(result);
  }
  const figures = { cpuMs: cpu(), programCpuMs: programCpu() };
  stream.close();
  return {
    ...figures,
    firstAudioMs: spoken.map(({ firstAudioMs }) => firstAudioMs),
    realTimeFactors: spoken.map(({ speechMs, tookMs }) => tookMs / speechMs),
    speechMs: spoken.reduce((sum, { speechMs }) => sum + speechMs, 0),
  };
}
