import { decodeAlaw, decodeMulaw, encodeAlaw, encodeMulaw } from '../../../base/audio/g711.ts';
import { Speakerphone, type SpeakerphoneOptions, seeded } from '../../../fixtures/sound/speakerphone.ts';
import { type ReceivedPacket, RtpPeer } from '../../../test/rtp-peer/rtp-peer.ts';
import { rootMeanSquare } from '../../../test/rtp-peer/tone.ts';
import { AGENT_LEVEL, type RecordedCall } from './recorded-call.ts';
import { FRAME_MS, type SentAudio, type SentFrames } from './sent-frames.ts';
import { lineNoise, type SpokenLine, type SpokenWord } from './spoken-line.ts';

/** When the user begins a line. */
export type Moment =
  /** The agent has spoken since the last line began, and was silent for this long. */
  | { readonly type: 'agent_quiet'; readonly ms: number }
  /** The agent has begun to speak since the last line, this long ago. */
  | { readonly type: 'agent_speaking'; readonly ms: number }
  /** This time after the end of the last line, whatever the agent does. */
  | { readonly type: 'after'; readonly ms: number };

export interface UserStep {
  readonly when: Moment;
  readonly line: SpokenLine;
}

export interface PhoneOptions {
  readonly codec: 'pcmu' | 'pcma';
  readonly steps: readonly UserStep[];
  readonly echo?: SpeakerphoneOptions;
  /** Share of the packets that the network loses, one by one. */
  readonly lossShare?: number;
  readonly frames: SentFrames;
  /** The user hangs up when the agent was silent for this long after the last step. */
  readonly hangUpAfterMs: number;
  readonly callMsMax: number;
  readonly seed: number;
  readonly onOver: () => void;
}

const FRAME_SAMPLES = 160;
const PAYLOAD_TYPES = { pcmu: 0, pcma: 8 } as const;
/** An answer that has not begun by then: the user goes on with the next line. */
const ANSWER_TIMEOUT_MS = 14_000;
/** Received frames that wait for the loudspeaker; more are dropped. */
const LOUDSPEAKER_FRAMES_MAX = 4;

/** A user at a phone: speaks each line of the script at its moment, and keeps what was sent and what was heard. */
export class Phone {
  readonly #peer: RtpPeer;
  readonly #options: PhoneOptions;
  readonly #noise: Int16Array;
  readonly #words: SpokenWord[] = [];
  readonly #audio: SentAudio;
  readonly #lines: { fromMs: number; toMs: number; line: SpokenLine }[] = [];
  readonly #packets: { arrivedMs: number; timestamp: number; samples: Int16Array }[] = [];
  readonly #loudspeaker: Int16Array[] = [];
  readonly #speakerphone: Speakerphone | null;
  readonly #sent: Int16Array;
  readonly #random: () => number;
  #frame = 0;
  #startedMs = 0;
  #remotePort = 0;
  #slipMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #step = 0;
  /** When the agent's voice was last heard, and when its present burst began; ms of sent audio. */
  #voiceMs = Number.NEGATIVE_INFINITY;
  #burstMs = Number.NEGATIVE_INFINITY;
  #isOver = false;

  static async open(options: PhoneOptions): Promise<Phone> {
    return new Phone(await RtpPeer.openOnFreePort('127.0.0.1'), options);
  }

  private constructor(peer: RtpPeer, options: PhoneOptions) {
    this.#peer = peer;
    this.#options = options;
    this.#audio = { words: this.#words };
    this.#noise = lineNoise(options.callMsMax + 1_000, options.seed);
    this.#sent = new Int16Array(this.#noise.length);
    this.#speakerphone = options.echo === undefined ? null : new Speakerphone(options.echo);
    this.#random = seeded(options.seed);
    peer.ssrc = options.seed;
    peer.onPacket = (packet) => this.#receive(packet);
  }

  offer(): string {
    const { codec } = this.#options;
    const type = PAYLOAD_TYPES[codec];
    const lines = ['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0'];
    const media = [`m=audio ${this.#peer.port} RTP/AVP ${type}`, `a=rtpmap:${type} ${codec.toUpperCase()}/8000`];
    return `${[...lines, ...media, 'a=ptime:20'].join('\r\n')}\r\n`;
  }

  /** Sends to the port of an SDP answer from now on. False for an answer without audio. */
  connectTo(answer: string): boolean {
    this.#remotePort = Number(/^m=audio (\d+) /m.exec(answer)?.[1] ?? 0);
    if (this.#remotePort === 0) return false;
    this.#startedMs = performance.now();
    this.#run();
    return true;
  }

  /** Ends the sending, and returns both channels on one time axis. */
  hangUp(): RecordedCall {
    clearTimeout(this.#timer);
    this.#isOver = true;
    this.#peer.close();
    const lengthMs = this.#frame * FRAME_MS;
    const agent = new Int16Array(lengthMs * 8);
    const [first] = this.#packets;
    const positionOf = (timestamp: number) => (timestamp - (first?.timestamp ?? 0)) | 0;
    // The earliest arrival on the grid of the timestamps: later ones were delayed on their way.
    const offsetMs = this.#packets.reduce(
      (least, { arrivedMs, timestamp }) => Math.min(least, arrivedMs - positionOf(timestamp) / 8),
      Number.POSITIVE_INFINITY,
    );
    for (const { timestamp, samples } of this.#packets) {
      const at = positionOf(timestamp) + Math.round(offsetMs * 8);
      if (at >= 0 && at + samples.length <= agent.length) agent.set(samples, at);
    }
    return { user: this.#sent.slice(0, lengthMs * 8), agent, lines: this.#lines, slipMs: this.#slipMs };
  }

  get #nowMs(): number {
    return this.#frame * FRAME_MS;
  }

  #run(): void {
    for (;;) {
      const lateMs = performance.now() - this.#startedMs - this.#nowMs;
      if (lateMs < 0 || this.#isOver) break;
      this.#slipMs = Math.max(this.#slipMs, lateMs);
      this.#act();
      this.#send();
      this.#frame++;
    }
    if (this.#isOver) return;
    const waitMs = this.#startedMs + this.#nowMs - performance.now();
    this.#timer = setTimeout(() => this.#run(), Math.max(0, waitMs));
  }

  #act(): void {
    const last = this.#lines.at(-1);
    const nowMs = this.#nowMs;
    if (nowMs >= this.#options.callMsMax) {
      this.#over();
      return;
    }
    if (last !== undefined && nowMs < last.toMs) return;
    const step = this.#options.steps[this.#step];
    if (step === undefined) {
      if (this.#isQuiet(this.#options.hangUpAfterMs)) this.#over();
      return;
    }
    if (!this.#isTime(step.when)) return;
    this.#step++;
    const { words, samples } = step.line;
    this.#lines.push({ fromMs: nowMs, toMs: nowMs + Math.ceil(samples.length / 8), line: step.line });
    for (const word of words) {
      this.#words.push({ text: word.text, startMs: word.startMs + nowMs, endMs: word.endMs + nowMs });
    }
  }

  #isTime(when: Moment): boolean {
    const last = this.#lines.at(-1);
    const nowMs = this.#nowMs;
    switch (when.type) {
      case 'agent_quiet':
        return this.#isQuiet(when.ms);
      case 'agent_speaking':
        return this.#burstMs >= (last?.toMs ?? 0) && nowMs - this.#burstMs >= when.ms && nowMs - this.#voiceMs < 100;
      case 'after':
        return nowMs - (last?.toMs ?? 0) >= when.ms;
    }
  }

  /** The agent has spoken after the last line's begin, or has not for very long, and is silent for `ms`. */
  #isQuiet(ms: number): boolean {
    const last = this.#lines.at(-1);
    const sinceMs = Math.max(this.#voiceMs, last?.toMs ?? 0);
    const hasSpoken = this.#voiceMs > (last?.fromMs ?? 0);
    return this.#nowMs - (hasSpoken ? sinceMs : (last?.toMs ?? 0)) >= (hasSpoken ? ms : ANSWER_TIMEOUT_MS);
  }

  #over(): void {
    this.#isOver = true;
    this.#options.onOver();
  }

  #send(): void {
    const at = this.#frame * FRAME_SAMPLES;
    const frame = this.#noise.slice(at, at + FRAME_SAMPLES);
    const current = this.#lines.at(-1);
    if (current !== undefined && this.#nowMs < current.toMs) {
      const from = (this.#nowMs - current.fromMs) * 8;
      for (let i = 0; i < FRAME_SAMPLES; i++) frame[i] = clip((frame[i] ?? 0) + (current.line.samples[from + i] ?? 0));
    }
    if (this.#speakerphone !== null) {
      const echo = this.#speakerphone.play(this.#loudspeaker.shift() ?? new Int16Array(FRAME_SAMPLES));
      for (let i = 0; i < FRAME_SAMPLES; i++) frame[i] = clip((frame[i] ?? 0) + (echo[i] ?? 0));
    }
    this.#sent.set(frame, at);
    const { codec, frames } = this.#options;
    const payload = new Uint8Array(FRAME_SAMPLES);
    const encode = codec === 'pcmu' ? encodeMulaw : encodeAlaw;
    encode(frame, 0, FRAME_SAMPLES, payload);
    frames.add(payload, { audio: this.#audio, index: this.#frame });
    if (this.#random() < (this.#options.lossShare ?? 0)) {
      this.#peer.sequence = (this.#peer.sequence + 1) & 0xffff;
      this.#peer.timestamp = (this.#peer.timestamp + FRAME_SAMPLES) >>> 0;
      return;
    }
    void this.#peer.send(this.#remotePort, payload, PAYLOAD_TYPES[codec], this.#frame === 0);
  }

  #receive({ payload, payloadType, timestamp }: ReceivedPacket): void {
    if (payloadType !== PAYLOAD_TYPES[this.#options.codec]) return;
    const samples = new Int16Array(payload.length);
    const decode = payloadType === 0 ? decodeMulaw : decodeAlaw;
    decode(payload, 0, payload.length, samples);
    if (this.#startedMs === 0) this.#startedMs = performance.now();
    this.#packets.push({ arrivedMs: performance.now() - this.#startedMs, timestamp, samples });
    if (this.#speakerphone !== null && this.#loudspeaker.length < LOUDSPEAKER_FRAMES_MAX)
      this.#loudspeaker.push(samples);
    if (rootMeanSquare(samples) < AGENT_LEVEL) return;
    if (this.#nowMs - this.#voiceMs > 400) this.#burstMs = this.#nowMs;
    this.#voiceMs = this.#nowMs;
  }
}

function clip(sample: number): number {
  return Math.max(-32_768, Math.min(32_767, Math.round(sample)));
}
