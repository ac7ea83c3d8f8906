import type { MediaEvent } from '../../engine/ports/media.ts';
import { CallerActivity, SILENT_SOURCE_MS } from './caller-activity.ts';
import { CallerSpeech } from './caller-speech.ts';
import { CODEC_LINEAR16, createFrame, FRAME_HEADER_BYTES } from './frame.ts';
import { NEVER } from './inbound.ts';
import type { LegHost } from './leg.ts';
import { LegRecorder } from './leg-recorder.ts';
import { Playout } from './playout.ts';
import { type SlotMemory, viewSlotMemory, WANTS_ROOM } from './slot-memory.ts';
import { CONNECTED, viewWebLineMemory, type WebLineMemory } from './web-line.ts';
import { FRAME_MS } from './wheel.ts';
import { WireConverter } from './wire-converter.ts';
import type { CallKey, OpenOrder } from './worker-message.ts';

const SAMPLE_RATE_HZ = 16_000;
const FRAME_SAMPLES = (SAMPLE_RATE_HZ / 1000) * FRAME_MS;
/** The longest piece that a browser's frame is taken in. */
export const MAX_WEB_FRAME_BYTES = 5 * FRAME_SAMPLES * 2;

/**
 * One web call in its worker: what `Leg` is to a phone call, with a line of shared memory in the place of two ports. A
 * frame of 20 ms goes out in each tick; where the line has no room, as the browser or its network is slow, the agent
 * waits and nothing of it is lost. While no browser is connected nothing goes out.
 */
export class WebLeg {
  private readonly memory: SlotMemory;
  private readonly line: WebLineMemory;
  private readonly host: LegHost;
  private readonly key: CallKey;
  private readonly mediaTimeoutMs: number;
  private readonly recorder: LegRecorder | null;
  private readonly converter: WireConverter;
  private readonly playout: Playout;
  private readonly speech: CallerSpeech;
  private readonly activity: CallerActivity;
  private readonly emit: (event: MediaEvent) => void;
  private readonly frame = createFrame();
  private readonly spoken = new Int16Array(FRAME_SAMPLES);
  private readonly spokenBytes = new Uint8Array(this.spoken.buffer);
  private readonly heard = new Uint8Array(MAX_WEB_FRAME_BYTES);
  /** Samples that the caller has sent, modulo 2^32. */
  private heardSamples = 0;
  private lastHeardMs = NEVER;
  private connected = false;
  /** Since when the caller's frames are missed. */
  private expectedSinceMs = 0;
  private timeoutTold = false;

  constructor(order: OpenOrder, line: SharedArrayBuffer, key: CallKey, host: LegHost) {
    const { slot, generation } = key;
    this.host = host;
    this.key = key;
    this.mediaTimeoutMs = order.mediaTimeoutMs;
    this.memory = viewSlotMemory(order.memory);
    this.line = viewWebLineMemory(line);
    this.emit = (event) => host.emit(key, event);
    this.recorder = order.recording === null ? null : new LegRecorder(order.recording);
    this.recorder?.agentSilent(order.absentMs);
    this.converter = new WireConverter(host.resamplers);
    this.converter.wire = CODEC_LINEAR16;
    this.playout = new Playout(this.memory, slot, generation, this.converter);
    const { memory, recorder, emit } = this;
    this.activity = new CallerActivity({ memory, classifier: host.createClassifier(), emit });
    this.speech = new CallerSpeech({
      memory,
      slot,
      generation,
      format: order.format,
      resamplers: host.resamplers,
      opus: host.opus,
      recorder,
      statistics: host.statistics,
      ready: () => host.ready(slot),
      hear: (samples, length) => this.activity.hear(samples, length),
      silentMs: () => this.activity.silentMs,
    });
  }

  tick(): void {
    const nowMs = this.host.nowMs();
    const connected = Atomics.load(this.line.control, CONNECTED) === 1;
    if (connected && !this.connected) this.expectedSinceMs = nowMs;
    this.connected = connected;
    this.hear(nowMs);
    if (connected) this.speak();
    else this.recorder?.agentSilent(FRAME_MS);
    if (nowMs - this.lastHeardMs > SILENT_SOURCE_MS) {
      this.activity.interrupt();
      this.speech.flush();
    }
    this.watch(nowMs);
    this.tellRoom();
  }

  /** Ticks that came too late: what is queued waits. */
  skip(ticks: number): void {
    this.recorder?.agentSilent(ticks * FRAME_MS);
  }

  clear(utterance: number): void {
    this.playout.discardCleared();
    this.emit({ type: 'cleared', utterance, playedMs: this.playout.playedMs(utterance) });
    this.tellRoom();
  }

  pause(): void {
    const { utterance } = this.playout;
    this.emit({ type: 'paused', utterance, playedMs: this.playout.playedMs(utterance) });
  }

  listenForTones(on: boolean): void {
    this.activity.listenForTones(on);
  }

  async close(): Promise<void> {
    this.activity.free();
    this.speech.free();
    this.recorder?.close();
    this.converter.reset();
  }

  private hear(nowMs: number): void {
    const { line, frame, heard } = this;
    const waiting = line.heard.used;
    if (waiting === 0) return;
    // After a stall the frames come late but all at once: only what is missing beyond them is a gap.
    const waitingMs = (waiting / (FRAME_HEADER_BYTES + 2 * FRAME_SAMPLES)) * FRAME_MS;
    if (nowMs - this.lastHeardMs - waitingMs > SILENT_SOURCE_MS) this.recorder?.restart();
    while (line.heard.take(frame, heard)) {
      this.host.statistics.countReceived(1);
      this.speech.takeLinear16(heard, frame.length, this.heardSamples);
      this.heardSamples = (this.heardSamples + frame.length / 2) >>> 0;
    }
    this.lastHeardMs = nowMs;
    this.timeoutTold = false;
  }

  private speak(): void {
    const { line, playout, recorder, spoken, frame, host } = this;
    if (line.spoken.room < this.spokenBytes.length) {
      recorder?.agentSilent(FRAME_MS);
      return;
    }
    const filled = playout.fill(this.spokenBytes, 0, FRAME_SAMPLES);
    if (filled < FRAME_SAMPLES && playout.starving) host.statistics.countUnderruns(1);
    spoken.fill(0, filled);
    recorder?.agentWide(spoken, FRAME_SAMPLES);
    // Silence is left out where frames wait: so a line that fell behind catches up.
    if (filled > 0 || line.spoken.used === 0) {
      frame.slot = this.key.slot;
      frame.generation = this.key.generation;
      frame.codec = CODEC_LINEAR16;
      frame.rateHz = SAMPLE_RATE_HZ;
      frame.length = this.spokenBytes.length;
      frame.utterance = playout.utterance;
      frame.segment = 0;
      frame.rtpTime = filled;
      line.spoken.push(frame, this.spokenBytes, 0);
      host.statistics.countSent(1);
      host.ready(this.key.slot);
    }
    playout.tellMarks(this.emit);
  }

  private watch(nowMs: number): void {
    if (!this.connected || this.timeoutTold) return;
    if (nowMs - Math.max(this.expectedSinceMs, this.lastHeardMs) < this.mediaTimeoutMs) return;
    this.timeoutTold = true;
    this.emit({ type: 'timeout' });
  }

  private tellRoom(): void {
    const { control, downlink } = this.memory;
    if (Atomics.load(control, WANTS_ROOM) === 0 || downlink.used > downlink.capacity / 2) return;
    Atomics.store(control, WANTS_ROOM, 0);
    this.host.ready(this.key.slot);
  }
}
