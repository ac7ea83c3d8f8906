import { CALL_HZ, FRAME_SAMPLES } from './call-format.ts';
import { PlayoutBuffer } from './playout-buffer.ts';
import { SincResampler } from './sinc-resampler.ts';

/** Names of the scope of an AudioWorklet, which the types of the page lack. */
declare const sampleRate: number;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;

/**
 * Records and plays the audio of a call, on the browser's audio thread. It posts frames of the microphone, and takes frames of the
 * agent, and `clear`.
 */
class CallAudio extends AudioWorkletProcessor {
  readonly #toCall = new SincResampler(sampleRate, CALL_HZ);
  readonly #playout = new PlayoutBuffer(sampleRate);
  #frame = new Int16Array(FRAME_SAMPLES);
  #filled = 0;

  constructor() {
    super();
    this.port.onmessage = ({ data }: MessageEvent<ArrayBuffer | 'clear'>) => {
      if (data === 'clear') this.#playout.clear();
      else this.#playout.add(new Int16Array(data));
    };
  }

  process([microphone]: readonly Float32Array[][], [speaker]: readonly Float32Array[][]): boolean {
    const captured = microphone?.[0];
    const played = speaker?.[0];
    if (captured !== undefined) this.#toCall.push(captured, (sample) => this.#send(sample));
    if (played !== undefined) this.#playout.fill(played);
    return true;
  }

  #send(sample: number): void {
    this.#frame[this.#filled++] = Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768)));
    if (this.#filled < FRAME_SAMPLES) return;
    this.port.postMessage(this.#frame.buffer, [this.#frame.buffer]);
    this.#frame = new Int16Array(FRAME_SAMPLES);
    this.#filled = 0;
  }
}

registerProcessor('call-audio', CallAudio);
