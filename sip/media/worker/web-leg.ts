import type { MediaEvent } from '../../../engine/ports/media.ts';
import { CallRecorder } from '../../recorder/call-recorder.ts';
import { PeerActivity, SILENT_SOURCE_MS } from '../detection/peer-activity.ts';
import { PeerAudio } from '../receive/peer-audio.ts';
import { NEVER } from '../receive/rtp-receiver.ts';
import { PACKET_INTERVAL_MS } from '../send/pacer.ts';
import { Playout } from '../send/playout.ts';
import { WireConverter } from '../send/wire-converter.ts';
import { CODEC_LINEAR16, createAudioFrame, FRAME_HEADER_BYTES } from '../worker-channel/audio-frame.ts';
import { type SessionMemory, viewSessionMemory, WANTS_ROOM } from '../worker-channel/session-memory.ts';
import { CONNECTED, viewWebChannelMemory, type WebChannelMemory } from '../worker-channel/web-channel.ts';
import type { OpenCommand, SessionKey } from '../worker-channel/worker-messages.ts';
import type { LegHost } from './rtp-leg.ts';

const SAMPLE_RATE_HZ = 16_000;
const FRAME_SAMPLES = (SAMPLE_RATE_HZ / 1000) * PACKET_INTERVAL_MS;
/** The longest piece that a browser's frame is taken in. */
export const MAX_WEB_FRAME_BYTES = 5 * FRAME_SAMPLES * 2;

/**
 * One web call in its worker: like `RtpLeg`, with a channel of shared memory instead of two ports. Each tick sends a 20
 * ms frame. Where the channel is full, because the browser or its network is slow, the agent waits and no audio is
 * lost. Without a browser nothing is sent.
 */
export class WebLeg {
  readonly #memory: SessionMemory;
  readonly #line: WebChannelMemory;
  readonly #host: LegHost;
  readonly #key: SessionKey;
  readonly #mediaTimeoutMs: number;
  readonly #recorder: CallRecorder | null;
  readonly #converter: WireConverter;
  readonly #playout: Playout;
  readonly #speech: PeerAudio;
  readonly #activity: PeerActivity;
  readonly #emit: (event: MediaEvent) => void;
  readonly #frame = createAudioFrame();
  readonly #spoken = new Int16Array(FRAME_SAMPLES);
  readonly #spokenBytes = new Uint8Array(this.#spoken.buffer);
  readonly #heard = new Uint8Array(MAX_WEB_FRAME_BYTES);
  /** Samples that the caller has sent, modulo 2^32. */
  #heardSamples = 0;
  #lastHeardMs = NEVER;
  #connected = false;
  /** Since when the caller's frames are missed. */
  #expectedSinceMs = 0;
  #timeoutReported = false;

  constructor(order: OpenCommand, line: SharedArrayBuffer, key: SessionKey, host: LegHost) {
    const { slot, generation } = key;
    this.#host = host;
    this.#key = key;
    this.#mediaTimeoutMs = order.mediaTimeoutMs;
    this.#memory = viewSessionMemory(order.memory);
    this.#line = viewWebChannelMemory(line);
    this.#emit = (event) => host.emit(key, event);
    this.#recorder = order.recording === null ? null : new CallRecorder(order.recording);
    this.#recorder?.agentSilent(order.absentMs);
    this.#converter = new WireConverter(host.resamplers);
    this.#converter.wire = CODEC_LINEAR16;
    this.#playout = new Playout(this.#memory, slot, generation, this.#converter);
    const memory = this.#memory;
    const recorder = this.#recorder;
    const emit = this.#emit;
    this.#activity = new PeerActivity({ memory, classifier: host.createClassifier(), emit });
    this.#speech = new PeerAudio({
      memory,
      slot,
      generation,
      format: order.format,
      resamplers: host.resamplers,
      opus: host.opus,
      recorder,
      statistics: host.statistics,
      ready: () => host.ready(slot),
      hear: (samples, length) => this.#activity.hear(samples, length),
      silentMs: () => this.#activity.silentMs,
    });
  }

  tick(): void {
    const nowMs = this.#host.nowMs();
    const connected = Atomics.load(this.#line.control, CONNECTED) === 1;
    if (connected && !this.#connected) this.#expectedSinceMs = nowMs;
    this.#connected = connected;
    this.#hear(nowMs);
    if (connected) this.#speak();
    else this.#recorder?.agentSilent(PACKET_INTERVAL_MS);
    if (nowMs - this.#lastHeardMs > SILENT_SOURCE_MS) {
      this.#activity.interrupt();
      this.#speech.flush();
    }
    this.#watch(nowMs);
    this.#tellRoom();
  }

  /** Ticks that came too late: the queue waits. */
  skip(ticks: number): void {
    this.#recorder?.agentSilent(ticks * PACKET_INTERVAL_MS);
  }

  clear(utterance: number): void {
    this.#playout.discardCleared();
    this.#emit({ type: 'cleared', utterance, playedMs: this.#playout.playedMs(utterance) });
    this.#tellRoom();
  }

  pause(): void {
    const { utterance } = this.#playout;
    this.#emit({ type: 'paused', utterance, playedMs: this.#playout.playedMs(utterance) });
  }

  listenForTones(on: boolean): void {
    this.#activity.listenForTones(on);
  }

  async close(): Promise<void> {
    this.#activity.free();
    this.#speech.free();
    this.#recorder?.close();
    this.#converter.reset();
  }

  #hear(nowMs: number): void {
    const line = this.#line;
    const frame = this.#frame;
    const heard = this.#heard;
    const waiting = line.heard.used;
    if (waiting === 0) return;
    // After a stall the frames arrive late but together: only what is missing beyond them is a gap.
    const waitingMs = (waiting / (FRAME_HEADER_BYTES + 2 * FRAME_SAMPLES)) * PACKET_INTERVAL_MS;
    if (nowMs - this.#lastHeardMs - waitingMs > SILENT_SOURCE_MS) this.#recorder?.restart();
    while (line.heard.take(frame, heard)) {
      this.#host.statistics.countReceived(1);
      this.#speech.takeLinear16(heard, frame.length, this.#heardSamples);
      this.#heardSamples = (this.#heardSamples + frame.length / 2) >>> 0;
    }
    this.#lastHeardMs = nowMs;
    this.#timeoutReported = false;
  }

  #speak(): void {
    const line = this.#line;
    const playout = this.#playout;
    const recorder = this.#recorder;
    const spoken = this.#spoken;
    const frame = this.#frame;
    const host = this.#host;
    if (line.spoken.room < this.#spokenBytes.length) {
      recorder?.agentSilent(PACKET_INTERVAL_MS);
      return;
    }
    const filled = playout.fill(this.#spokenBytes, 0, FRAME_SAMPLES);
    if (filled < FRAME_SAMPLES && playout.starving) host.statistics.countUnderruns(1);
    spoken.fill(0, filled);
    recorder?.agentWide(spoken, FRAME_SAMPLES);
    // Silence is omitted while frames wait, so that a slow channel catches up.
    if (filled > 0 || line.spoken.used === 0) {
      frame.slot = this.#key.slot;
      frame.generation = this.#key.generation;
      frame.codec = CODEC_LINEAR16;
      frame.rateHz = SAMPLE_RATE_HZ;
      frame.length = this.#spokenBytes.length;
      frame.utterance = playout.utterance;
      frame.segment = 0;
      frame.rtpTime = filled;
      line.spoken.push(frame, this.#spokenBytes, 0);
      host.statistics.countSent(1);
      host.ready(this.#key.slot);
    }
    playout.tellMarks(this.#emit);
  }

  #watch(nowMs: number): void {
    if (!this.#connected || this.#timeoutReported) return;
    if (nowMs - Math.max(this.#expectedSinceMs, this.#lastHeardMs) < this.#mediaTimeoutMs) return;
    this.#timeoutReported = true;
    this.#emit({ type: 'timeout' });
  }

  #tellRoom(): void {
    const { control, downlink } = this.#memory;
    if (Atomics.load(control, WANTS_ROOM) === 0 || downlink.used > downlink.capacity / 2) return;
    Atomics.store(control, WANTS_ROOM, 0);
    this.#host.ready(this.#key.slot);
  }
}
