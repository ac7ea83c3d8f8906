import { SipCaller } from '../../test/sip-endpoint/sip-caller.ts';
import { FRAME_BYTES, type Marker, SILENCE, writeMarker } from './audio-marker.ts';
import { CallerAudio } from './caller-audio.ts';
import type { CallerTurn } from './process-messages.ts';
import { CALLED_NUMBER, type Script } from './script.ts';

const FRAME_MS = 20;
/** From the agent's last word to the caller's next utterance. */
const PAUSE_MS = 300;
/** From the start of a response to its interruption. Up to one frame is added, so that interruptions fall anywhere between packets. */
const INTERRUPTION_DELAY_MS = 500;
/** A response that does not begin within this time has failed. */
const ANSWER_MS_MAX = 15_000;

export interface CallerOptions {
  readonly call: number;
  readonly callId: string;
  readonly sipPort: number;
  readonly script: Script;
  /** One utterance, mu-law, in whole frames. */
  readonly speech: Buffer;
  readonly onAnswered: () => void;
  readonly onGreeted: () => void;
  readonly onEnded: (fault: string | null) => void;
}

/** One caller: dials in, waits for the greeting, then speaks its turns of the script until one side hangs up. */
export class Caller {
  readonly audio: CallerAudio;
  readonly turns: CallerTurn[] = [];
  readonly #options: CallerOptions;
  readonly #uac: SipCaller;
  #turn = 0;
  #timeout: NodeJS.Timeout | undefined;
  #over = false;

  private constructor(options: CallerOptions, audio: CallerAudio) {
    this.#options = options;
    this.audio = audio;
    const { callId, sipPort } = options;
    this.#uac = new SipCaller(
      {
        target: { host: '127.0.0.1', port: sipPort },
        protocol: 'UDP',
        localAddress: '127.0.0.1',
        to: CALLED_NUMBER,
        from: `caller-${options.call}`,
        headers: { 'X-Service-Call-Id': callId },
        sdp: audio.offer(),
      },
      {
        onProvisional: () => undefined,
        onAnswered: (answer) => this.#answered(answer),
        onEnded: (by, status) => this.#ended(by, status),
      },
    );
  }

  static async dial(options: CallerOptions): Promise<Caller> {
    let caller: Caller | null = null;
    const audio = await CallerAudio.open(options.call, (marker, atMs) => {
      if (caller !== null) caller.#hear(marker, atMs);
    });
    caller = new Caller(options, audio);
    await caller.#uac.invite();
    caller.#expect('the greeting');
    return caller;
  }

  /** Speaks the next turn of the script. After the last one, hangs up or expects the agent to. */
  startNextTurn(): void {
    const { script, speech, call } = this.#options;
    this.#turn++;
    if (this.#turn > script.turns.length) {
      if (script.endedBy === 'caller') this.#uac.bye();
      this.#expect('the end of the call');
      return;
    }
    const interrupts = script.turns[this.#turn - 1]?.interrupts === true;
    const audio = interrupts ? Buffer.alloc(2 * FRAME_BYTES, SILENCE) : Buffer.from(speech);
    const marker = { turn: this.#turn, call };
    writeMarker(audio, 0, { ...marker, kind: 'line_begins' });
    writeMarker(audio, audio.length - FRAME_BYTES, { ...marker, kind: 'line_ends' });
    const frames = Array.from({ length: audio.length / FRAME_BYTES }, (_, i) =>
      audio.subarray(i * FRAME_BYTES, (i + 1) * FRAME_BYTES),
    );
    const never = Number.NaN;
    const entry: CallerTurn = { call, turn: this.#turn, speechSentMs: never, responseMs: never, lastSpeechMs: never };
    this.turns.push(entry);
    this.audio.speak(frames, (atMs) => {
      entry.speechSentMs = atMs;
      this.#expect(`the answer of turn ${entry.turn}`);
    });
  }

  #answered(answer: string): void {
    if (this.audio.connectTo(answer)) this.#options.onAnswered();
    else this.#end('an answer without audio');
  }

  #hear({ kind, turn, call }: Marker, atMs: number): void {
    if (call !== this.#options.call || turn !== this.#turn) {
      this.#end(`heard turn ${turn} of caller ${call} in turn ${this.#turn}`);
      return;
    }
    const entry = this.turns.at(-1);
    if (kind === 'answer_begins' && entry !== undefined) {
      entry.responseMs = atMs;
      entry.lastSpeechMs = this.audio.lastSpeechMs;
      if (this.#options.script.turns[turn]?.interrupts)
        this.#nextAfter(INTERRUPTION_DELAY_MS + Math.random() * FRAME_MS);
    }
    if (kind !== 'answer_ends') return;
    if (this.#options.script.turns[turn]?.interrupts) {
      this.#end(`the answer of turn ${turn} was not interrupted`);
      return;
    }
    clearTimeout(this.#timeout);
    if (turn === 0) this.#options.onGreeted();
    else this.#nextAfter(PAUSE_MS);
  }

  #nextAfter(ms: number): void {
    setTimeout(() => this.#over || this.startNextTurn(), ms);
  }

  #ended(by: string, status: number | null): void {
    const complete = this.#turn >= this.#options.script.turns.length;
    const isExpectedEnd = by === (this.#options.script.endedBy === 'agent' ? 'callee' : 'caller');
    this.#end(complete && isExpectedEnd ? null : `ended by ${by} (${status ?? 'no status'}) in turn ${this.#turn}`);
  }

  #expect(expectation: string): void {
    clearTimeout(this.#timeout);
    this.#timeout = setTimeout(() => {
      this.#uac.bye();
      this.#end(`${expectation} did not come`);
    }, ANSWER_MS_MAX);
  }

  #end(fault: string | null): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timeout);
    this.#options.onEnded(fault);
    void this.#uac.close();
  }
}
