import { HalfRate } from '../rtp/codecs/half-rate.ts';
import { JitterBuffer, PLAYOUT_FRAME_SAMPLES } from '../rtp/jitter-buffer/jitter-buffer.ts';
import { PEER_DELAY_FRAMES, RecordingTrack } from './recording-ring.ts';

/** The length of the recorder's ring. A longer silence would only overrun it. */
const SILENT_MS_MAX = 4000;
const SAMPLES_PER_MS = 8;
/** The longest packet that we send: 60 ms. */
const AGENT_SAMPLES_MAX = 480;
const SILENCE = new Int16Array(PLAYOUT_FRAME_SAMPLES);
/** The samples that are being recorded. Recorders of one thread take turns: shared, this memory stays in the cache. */
const PEER = new Int16Array(PLAYOUT_FRAME_SAMPLES);
const AGENT = new Int16Array(AGENT_SAMPLES_MAX);

/**
 * Records both directions of a call on one timeline at 8 kHz, in 20 ms frames: the sent audio, and the audio that the
 * peer's jitter buffer plays at that moment. Wideband calls are recorded at 8 kHz too, the rate of the ring and the file.
 */
export class CallRecorder {
  readonly #track: RecordingTrack;
  readonly #jitter = new JitterBuffer();
  readonly #half = new HalfRate();
  /** The agent's current, incomplete frame. */
  readonly #frame = new Int16Array(PLAYOUT_FRAME_SAMPLES);
  #filled = 0;

  constructor(memory: SharedArrayBuffer) {
    this.#track = new RecordingTrack(memory);
  }

  /** Takes the peer's audio as it arrives. Samples and `timestamp` are at 8 kHz. */
  peerAudio(timestamp: number, samples: Int16Array, length: number): void {
    this.#jitter.push(timestamp, samples, length);
  }

  /** The peer's stream restarted. */
  restart(): void {
    this.#jitter.reset();
  }

  /** The first `length` of `samples`, at 8 kHz, were sent. */
  agent(samples: Int16Array, length: number): void {
    this.#append(samples, length);
  }

  /** The first `length` of `samples`, at 16 kHz, were sent. */
  agentWide(samples: Int16Array, length: number): void {
    this.#append(AGENT, this.#half.halve(samples, 0, length, AGENT));
  }

  /** Nothing was sent for this time. */
  agentSilent(durationMs: number): void {
    let left = Math.min(Math.round(durationMs), SILENT_MS_MAX) * SAMPLES_PER_MS;
    for (; left > 0; left -= PLAYOUT_FRAME_SAMPLES) this.#append(SILENCE, Math.min(left, PLAYOUT_FRAME_SAMPLES));
  }

  /** From `timestamp` on the peer's audio is noise, `level` dB below full scale. */
  peerComfortNoise(timestamp: number, level: number): void {
    this.#jitter.pushComfortNoise(timestamp, level);
  }

  /** The call ends: drains the peer's last audio from the jitter buffer. */
  close(): void {
    for (let done = 0; done < PEER_DELAY_FRAMES; done += PLAYOUT_FRAME_SAMPLES) {
      this.#jitter.pull(PEER);
      this.#track.writeTail(PEER, done, PLAYOUT_FRAME_SAMPLES);
    }
  }

  #append(samples: Int16Array, length: number): void {
    if (this.#filled === 0 && length === PLAYOUT_FRAME_SAMPLES) {
      this.#write(samples);
      return;
    }
    for (let i = 0; i < length; i++) {
      this.#frame[this.#filled++] = samples[i] ?? 0;
      if (this.#filled < PLAYOUT_FRAME_SAMPLES) continue;
      this.#filled = 0;
      this.#write(this.#frame);
    }
  }

  /** Writes a whole frame of the agent, and what the peer's jitter buffer plays beside it. */
  #write(agent: Int16Array): void {
    this.#jitter.pull(PEER);
    this.#track.write(PEER, 0, agent, 0, PLAYOUT_FRAME_SAMPLES);
  }
}
