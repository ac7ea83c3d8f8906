import callAudioUrl from './call-audio.ts?worker&url';
import { openMicrophone } from './microphone.ts';

/** Level at which a meter starts, dB relative to full scale. */
const QUIETEST_DB = -55;

export interface AudioLevels {
  readonly you: number;
  readonly agent: number;
}

/** From the microphone to frames of a call, and from the agent's frames to the loudspeaker. */
export class AudioPath {
  readonly #context: AudioContext;
  readonly #worklet: AudioWorkletNode;
  readonly #meters: { readonly you: AnalyserNode; readonly agent: AnalyserNode };
  #microphone: MediaStream;
  #source: MediaStreamAudioSourceNode;
  #isMuted = false;
  #isClosed = false;

  private constructor(context: AudioContext, microphone: MediaStream, onFrame: (frame: ArrayBuffer) => void) {
    this.#context = context;
    this.#worklet = new AudioWorkletNode(context, 'call-audio', { outputChannelCount: [1] });
    this.#meters = { you: context.createAnalyser(), agent: context.createAnalyser() };
    this.#worklet.connect(this.#meters.agent).connect(context.destination);
    this.#worklet.port.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => onFrame(data);
    this.#microphone = microphone;
    this.#source = this.#connect(microphone);
  }

  /** @throws MicrophoneError; an error of the browser's audio. The microphone is closed then. */
  static async open(deviceId: string | null, onFrame: (frame: ArrayBuffer) => void): Promise<AudioPath> {
    const microphone = await openMicrophone(deviceId);
    let context: AudioContext | null = null;
    try {
      context = new AudioContext();
      await context.audioWorklet.addModule(callAudioUrl);
      await context.resume();
      return new AudioPath(context, microphone, onFrame);
    } catch (error) {
      stop(microphone);
      void context?.close();
      throw error;
    }
  }

  /** Id of the microphone in use. */
  get deviceId(): string | null {
    return this.#microphone.getAudioTracks()[0]?.getSettings().deviceId ?? null;
  }

  /** @throws MicrophoneError: the one before stays in use */
  async changeMicrophone(deviceId: string): Promise<void> {
    const microphone = await openMicrophone(deviceId);
    // The call has ended while the browser opened it.
    if (this.#isClosed) {
      stop(microphone);
      return;
    }
    this.#source.disconnect();
    stop(this.#microphone);
    this.#microphone = microphone;
    this.#source = this.#connect(microphone);
    this.mute(this.#isMuted);
  }

  mute(isMuted: boolean): void {
    this.#isMuted = isMuted;
    for (const track of this.#microphone.getAudioTracks()) track.enabled = !isMuted;
  }

  play(frame: ArrayBuffer): void {
    this.#worklet.port.postMessage(frame, [frame]);
  }

  clear(): void {
    this.#worklet.port.postMessage('clear');
  }

  /** How loud both sides are now, from 0 to 1. */
  levels(): AudioLevels {
    return { you: levelOf(this.#meters.you), agent: levelOf(this.#meters.agent) };
  }

  close(): void {
    this.#isClosed = true;
    stop(this.#microphone);
    void this.#context.close();
  }

  #connect(microphone: MediaStream): MediaStreamAudioSourceNode {
    const source = this.#context.createMediaStreamSource(microphone);
    source.connect(this.#meters.you);
    source.connect(this.#worklet);
    return source;
  }
}

function stop(microphone: MediaStream): void {
  for (const track of microphone.getTracks()) track.stop();
}

function levelOf(meter: AnalyserNode): number {
  const samples = new Float32Array(meter.fftSize);
  meter.getFloatTimeDomainData(samples);
  const level = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
  return Math.max(0, Math.min(1, 1 - (20 * Math.log10(level + 1e-9)) / QUIETEST_DB));
}
