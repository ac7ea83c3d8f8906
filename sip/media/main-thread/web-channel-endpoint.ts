import type { WebChannel } from '../media-service.ts';
import { CODEC_LINEAR16, createAudioFrame } from '../worker-channel/audio-frame.ts';
import type { SessionKey } from '../worker-channel/media-worker-messages.ts';
import { CONNECTED, createWebChannelMemory, type WebChannelMemory } from '../worker-channel/web-channel.ts';

const SAMPLES_PER_MS = 16;

/** The main thread's end of a web call's channel. */
export class WebChannelEndpoint implements WebChannel {
  readonly memory: WebChannelMemory = createWebChannelMemory();
  readonly #frame = createAudioFrame();
  #spokenListener: () => void = () => undefined;
  #clearListener: () => void = () => undefined;
  #cleared = -1;
  /** Samples of the last cleared utterance that were in the channel but not sent to the browser. */
  #withheld = 0;

  constructor({ slot, generation }: SessionKey) {
    this.#frame.slot = slot;
    this.#frame.generation = generation;
  }

  get connected(): boolean {
    return Atomics.load(this.memory.control, CONNECTED) === 1;
  }

  set connected(is: boolean) {
    Atomics.store(this.memory.control, CONNECTED, is ? 1 : 0);
  }

  write(audio: Uint8Array): void {
    const frame = this.#frame;
    frame.codec = CODEC_LINEAR16;
    frame.rateHz = SAMPLES_PER_MS * 1000;
    frame.length = audio.length;
    this.memory.peerAudio.pushOverOldest(frame, audio, 0);
  }

  next(): Uint8Array | null {
    const frame = this.#frame;
    const { agentAudio } = this.memory;
    while (agentAudio.peek(frame)) {
      if (frame.agentSamples > 0 && frame.utterance <= this.#cleared) {
        if (frame.utterance === this.#cleared) this.#withheld += frame.agentSamples;
        agentAudio.shift();
        continue;
      }
      const audio = new Uint8Array(frame.length);
      agentAudio.copy(0, audio, 0, frame.length);
      agentAudio.shift();
      return audio;
    }
    return null;
  }

  onAgentAudio(listener: () => void): void {
    this.#spokenListener = listener;
  }

  onClear(listener: () => void): void {
    this.#clearListener = listener;
  }

  /** The worker has put frames into the channel. */
  collect(): void {
    this.#spokenListener();
  }

  clear(utterance: number): void {
    if (utterance <= this.#cleared) return;
    this.#cleared = utterance;
    this.#withheld = 0;
    this.#clearListener();
  }

  /**
   * How much of the utterance was played into the channel but never sent, in ms. Call it after the worker's `cleared`.
   * Frames of that utterance, and silence, precede all others in the channel, so no later frame is dropped here.
   */
  withheldMs(utterance: number): number {
    const frame = this.#frame;
    const { agentAudio } = this.memory;
    while (agentAudio.peek(frame) && (frame.agentSamples === 0 || frame.utterance <= utterance)) {
      if (frame.utterance === utterance) this.#withheld += frame.agentSamples;
      agentAudio.shift();
    }
    return utterance === this.#cleared ? this.#withheld / SAMPLES_PER_MS : 0;
  }
}
