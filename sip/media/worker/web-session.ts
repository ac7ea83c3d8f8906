import type { MediaEvent } from '../../../engine/ports/media.ts';
import { CallRecorder } from '../../recorder/call-recorder.ts';
import { AudioEventDetector, SILENT_SOURCE_MS } from '../detection/audio-event-detector.ts';
import { PlayedAudio } from '../detection/echo/played-audio.ts';
import type { CreateNoiseSuppressor } from '../receive/noise-suppressor.ts';
import { PeerAudio } from '../receive/peer-audio.ts';
import { NEVER } from '../receive/rtp-receiver.ts';
import { PACKET_INTERVAL_MS } from '../send/pacer.ts';
import { Playout } from '../send/playout.ts';
import { PlayoutTranscoder } from '../send/playout-transcoder.ts';
import { CODEC_LINEAR16, createAudioFrame, FRAME_HEADER_BYTES } from '../worker-channel/audio-frame.ts';
import type { OpenCommand, SessionKey } from '../worker-channel/media-worker-messages.ts';
import { type SessionMemory, viewSessionMemory, WANTS_ROOM } from '../worker-channel/session-memory.ts';
import { CONNECTED, viewWebChannelMemory, type WebChannelMemory } from '../worker-channel/web-channel.ts';
import type { WorkerContext } from './rtp-session.ts';

const SAMPLE_RATE_HZ = 16_000;
const FRAME_SAMPLES = (SAMPLE_RATE_HZ / 1000) * PACKET_INTERVAL_MS;
/** The longest frame that is accepted from a browser: 100 ms. */
export const WEB_FRAME_BYTES_MAX = 5 * FRAME_SAMPLES * 2;

/**
 * The media session of one web call in its worker: like `RtpSession`, with a channel of shared memory instead of two
 * ports. Each tick sends a 20 ms frame. While the channel is full, because the browser or its network is slow, the agent
 * waits and no audio is lost. Without a browser nothing is sent.
 */
export class WebSession {
  readonly #memory: SessionMemory;
  readonly #channel: WebChannelMemory;
  readonly #context: WorkerContext;
  readonly #key: SessionKey;
  readonly #mediaTimeoutMs: number;
  readonly #recorder: CallRecorder | null;
  readonly #played = new PlayedAudio();
  readonly #transcoder: PlayoutTranscoder;
  readonly #playout: Playout;
  readonly #peerAudio: PeerAudio;
  readonly #audioEvents: AudioEventDetector;
  readonly #emit: (event: MediaEvent) => void;
  readonly #frame = createAudioFrame();
  readonly #samples = new Int16Array(FRAME_SAMPLES);
  readonly #bytes = new Uint8Array(this.#samples.buffer);
  readonly #received = new Uint8Array(WEB_FRAME_BYTES_MAX);
  /** Samples received from the user, modulo 2^32. */
  #receivedSamples = 0;
  #lastReceivedMs = NEVER;
  #connected = false;
  /** Start of the media timeout. */
  #expectedSinceMs = 0;
  #timeoutReported = false;

  constructor(command: OpenCommand, channel: SharedArrayBuffer, key: SessionKey, context: WorkerContext) {
    const { slot, generation } = key;
    this.#context = context;
    this.#key = key;
    this.#mediaTimeoutMs = command.mediaTimeoutMs;
    this.#memory = viewSessionMemory(command.memory);
    this.#channel = viewWebChannelMemory(channel);
    this.#emit = (event) => context.emit(key, event);
    this.#recorder = command.recording === null ? null : new CallRecorder(command.recording);
    this.#recorder?.agentSilent(command.absentMs);
    this.#transcoder = new PlayoutTranscoder(context.resamplers);
    this.#transcoder.outputCodec = CODEC_LINEAR16;
    this.#playout = new Playout(this.#memory, slot, generation, this.#transcoder);
    const memory = this.#memory;
    const recorder = this.#recorder;
    const emit = this.#emit;
    const classifier = context.createClassifier();
    this.#audioEvents = new AudioEventDetector({ memory, classifier, played: this.#played, emit });
    this.#peerAudio = new PeerAudio({
      memory,
      slot,
      generation,
      format: command.format,
      resamplers: context.resamplers,
      opus: context.opus,
      recorder,
      statistics: context.statistics,
      ready: () => context.ready(slot),
      hear: (samples, length) => this.#audioEvents.writeTones(samples, length),
      hearSpeech: (samples, length) => this.#audioEvents.writeSpeech(samples, length),
      skipSpeech: (samples) => this.#audioEvents.skipSpeech(samples),
      silentMs: () => this.#audioEvents.silentMs,
      isAgentHeard: () => this.#played.isHeard,
    });
  }

  tick(): void {
    const nowMs = this.#context.nowMs();
    const connected = Atomics.load(this.#channel.control, CONNECTED) === 1;
    if (connected && !this.#connected) this.#expectedSinceMs = nowMs;
    this.#connected = connected;
    this.#receive(nowMs);
    if (connected) this.#send();
    else this.#silent(PACKET_INTERVAL_MS);
    if (nowMs - this.#lastReceivedMs > SILENT_SOURCE_MS) {
      this.#audioEvents.interrupt();
      this.#peerAudio.flush();
    }
    this.#watch(nowMs);
    this.#signalRoom();
  }

  /** Skips ticks that are too late. The queue waits. */
  skip(ticks: number): void {
    this.#silent(ticks * PACKET_INTERVAL_MS);
  }

  clear(utterance: number): void {
    this.#playout.discardCleared();
    this.#emit({ type: 'cleared', utterance, playedMs: this.#playout.playedMs(utterance) });
    this.#signalRoom();
  }

  pause(): void {
    const { utterance } = this.#playout;
    this.#emit({ type: 'paused', utterance, playedMs: this.#playout.playedMs(utterance) });
  }

  listenForTones(on: boolean): void {
    this.#audioEvents.listenForTones(on);
  }

  suppressNoise(create: CreateNoiseSuppressor, failed: (error: unknown) => void): void {
    this.#peerAudio.suppressNoise(create, failed);
  }

  async close(): Promise<void> {
    this.#audioEvents.free();
    this.#peerAudio.free();
    this.#recorder?.close();
    this.#transcoder.reset();
  }

  #receive(nowMs: number): void {
    const channel = this.#channel;
    const frame = this.#frame;
    const received = this.#received;
    const waiting = channel.peerAudio.used;
    if (waiting === 0) return;
    // After a stall, late frames arrive together. Only missing time beyond their length is a gap.
    const waitingMs = (waiting / (FRAME_HEADER_BYTES + 2 * FRAME_SAMPLES)) * PACKET_INTERVAL_MS;
    if (nowMs - this.#lastReceivedMs - waitingMs > SILENT_SOURCE_MS) this.#recorder?.restart();
    while (channel.peerAudio.take(frame, received)) {
      this.#context.statistics.countReceived(1);
      this.#peerAudio.takeLinear16(received, frame.length, this.#receivedSamples);
      this.#receivedSamples = (this.#receivedSamples + frame.length / 2) >>> 0;
    }
    this.#lastReceivedMs = nowMs;
    this.#timeoutReported = false;
  }

  #send(): void {
    const channel = this.#channel;
    const playout = this.#playout;
    const samples = this.#samples;
    const frame = this.#frame;
    const context = this.#context;
    if (channel.agentAudio.room < this.#bytes.length) {
      this.#silent(PACKET_INTERVAL_MS);
      return;
    }
    playout.isUserSpeaking = this.#audioEvents.isNearEnd;
    const filled = playout.fill(this.#bytes, 0, FRAME_SAMPLES);
    if (filled < FRAME_SAMPLES && playout.isStarving) context.statistics.countUnderruns(1);
    samples.fill(0, filled);
    this.#recorder?.agentWide(samples, FRAME_SAMPLES);
    this.#played.agentWide(samples, FRAME_SAMPLES);
    // Silence is not sent while frames wait, so that a slow channel catches up.
    if (filled > 0 || channel.agentAudio.used === 0) {
      frame.slot = this.#key.slot;
      frame.generation = this.#key.generation;
      frame.codec = CODEC_LINEAR16;
      frame.rateHz = SAMPLE_RATE_HZ;
      frame.length = this.#bytes.length;
      frame.utterance = playout.utterance;
      frame.segment = 0;
      frame.agentSamples = filled;
      channel.agentAudio.push(frame, this.#bytes, 0);
      context.statistics.countSent(1);
      context.ready(this.#key.slot);
    }
    playout.emitMarks(this.#emit);
  }

  #silent(durationMs: number): void {
    this.#recorder?.agentSilent(durationMs);
    this.#played.agentSilent(durationMs);
  }

  #watch(nowMs: number): void {
    if (!this.#connected || this.#timeoutReported) return;
    if (nowMs - Math.max(this.#expectedSinceMs, this.#lastReceivedMs) < this.#mediaTimeoutMs) return;
    this.#timeoutReported = true;
    this.#emit({ type: 'timeout' });
  }

  #signalRoom(): void {
    const { control, agentAudio } = this.#memory;
    if (Atomics.load(control, WANTS_ROOM) === 0 || agentAudio.used > agentAudio.capacity / 2) return;
    Atomics.store(control, WANTS_ROOM, 0);
    this.#context.ready(this.#key.slot);
  }
}
