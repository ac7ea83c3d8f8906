import { CALLER_DELAY_FRAMES, RecordingTrack } from '../recorder/recording-ring.ts';
import { decodeAlaw, decodeMulaw } from '../rtp/g711.ts';
import { JitterBuffer, PLAYOUT_FRAME_SAMPLES } from '../rtp/jitter-buffer.ts';

/** What the recorder's ring holds: a longer silence would only overrun it. */
const MAX_SILENT_TICKS = 200;
const SILENCE = new Int16Array(PLAYOUT_FRAME_SAMPLES);

/**
 * Both directions of a call on one timeline, 20 ms a tick of the wheel: what left on the wire beside what the caller's
 * jitter buffer plays at that moment.
 */
export class LegRecorder {
  alaw = false;
  private readonly track: RecordingTrack;
  private readonly jitter = new JitterBuffer();
  private readonly callerSamples = new Int16Array(PLAYOUT_FRAME_SAMPLES);
  private readonly agentSamples = new Int16Array(PLAYOUT_FRAME_SAMPLES);

  constructor(memory: SharedArrayBuffer) {
    this.track = new RecordingTrack(memory);
  }

  /** The caller's audio as it arrives. */
  caller(timestamp: number, samples: Int16Array, length: number): void {
    this.jitter.push(timestamp, samples, length);
  }

  /** The caller's stream began anew. */
  restart(): void {
    this.jitter.reset();
  }

  /** One tick: the 160 codes at `payload[offset]` left on the wire. */
  agent(payload: Uint8Array, offset: number): void {
    if (this.alaw) decodeAlaw(payload, offset, PLAYOUT_FRAME_SAMPLES, this.agentSamples);
    else decodeMulaw(payload, offset, PLAYOUT_FRAME_SAMPLES, this.agentSamples);
    this.write(this.agentSamples);
  }

  /** So many ticks in which nothing of ours left. */
  agentSilent(ticks: number): void {
    for (let i = Math.min(ticks, MAX_SILENT_TICKS); i > 0; i--) this.write(SILENCE);
  }

  /** The caller is silent from `timestamp` on, by comfort noise. */
  callerSilent(timestamp: number): void {
    this.jitter.pushComfortNoise(timestamp);
  }

  /** The call ends: what the caller said last leaves the jitter buffer. */
  close(): void {
    for (let done = 0; done < CALLER_DELAY_FRAMES; done += PLAYOUT_FRAME_SAMPLES) {
      this.jitter.pull(this.callerSamples);
      this.track.writeTail(this.callerSamples, done, PLAYOUT_FRAME_SAMPLES);
    }
  }

  private write(agent: Int16Array): void {
    this.jitter.pull(this.callerSamples);
    this.track.write(this.callerSamples, 0, agent, 0, PLAYOUT_FRAME_SAMPLES);
  }
}
