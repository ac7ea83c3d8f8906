import { randomUUID } from 'node:crypto';
import type { CallParameters } from '../../../engine/core/call-parameters.ts';
import type { EndReason } from '../../../engine/ports/end-reason.ts';
import type { JournalEntry } from '../../../engine/ports/journal.ts';
import type { Knowledge } from '../../../engine/ports/knowledge.ts';
import type { CallPorts } from '../../../engine/session/call-ports.ts';
import type { CompiledAgent } from '../../../engine/session/compile-agent.ts';
import { type CallHandle, type CallView, startCall } from '../../../engine/session/start-call.ts';
import type { TapeEntry } from '../../../engine/tape/tape.ts';
import type { CallTime } from './call-time.ts';
import { TextControl } from './text-control.ts';
import { TextMedia } from './text-media.ts';
import { TEXT_TRAITS, TextTranscriber } from './text-transcriber.ts';
import { createTextVoice } from './text-voice.ts';

/** In text mode no service runs that has read any source. */
const NO_KNOWLEDGE: Knowledge = { search: (_order, done) => done({ type: 'found', passages: [] }) };

/** What a line takes to be said: enough to be speech for every rule, whatever its length. */
const LINE_MS = 1_000;
/** As long as most telephones send a key. */
const KEY_MS = 100;
/** These timers wait for the caller. Every other one is a part of the agent's turn and comes to its end without them. */
const WAITING_FOR_CALLER: ReadonlySet<string> = new Set([
  'presence',
  'max_duration',
  'answer_type',
  'answer_watch',
  'fetched',
]);

export type Caller = Pick<CallParameters, 'direction' | 'fromNumber' | 'toNumber' | 'dynamicVariables'>;

export interface TextCallOptions {
  readonly compiled: CompiledAgent;
  readonly caller: Caller;
  readonly time: CallTime;
  readonly ports: Pick<CallPorts, 'model' | 'tools' | 'log'>;
  readonly onEntry?: (entry: JournalEntry) => void;
}

/**
 * One call of the real engine without telephony. What the caller does is a method here, and each resolves once the agent
 * has said and done all that comes of it and waits for the caller again, or the call has ended.
 */
export class TextCall {
  readonly #time: CallTime;
  readonly #media: TextMedia;
  readonly #transcriber = new TextTranscriber();
  readonly #control: TextControl;
  readonly #timers = new Set<string>();
  readonly #call: CallHandle;
  #endReason: EndReason | null = null;

  constructor({ compiled, caller, time, ports, onEntry }: TextCallOptions) {
    const { clock } = time;
    this.#time = time;
    this.#media = new TextMedia(clock);
    this.#control = new TextControl(clock);
    this.#call = startCall({
      compiled,
      parameters: {
        ...caller,
        callId: randomUUID(),
        agentId: randomUUID(),
        agentVersion: 1,
        startedWallMs: clock.wallMs(),
        transcriberTraits: TEXT_TRAITS,
      },
      ports: {
        ...ports,
        clock,
        media: this.#media,
        control: this.#control,
        transcriber: this.#transcriber,
        voice: createTextVoice(clock),
        knowledge: NO_KNOWLEDGE,
        journal: {
          write: (entry) => {
            if (entry.type === 'ended') this.#endReason = entry.reason;
            onEntry?.(entry);
          },
        },
      },
      tape: (entry) => this.#followTimers(entry),
      firstEvent: { type: 'call.offered' },
    });
    if (caller.direction === 'outbound') this.#control.answer();
  }

  /** Null while the call goes on. */
  get endReason(): EndReason | null {
    return this.#endReason;
  }

  view(): CallView {
    return this.#call.view();
  }

  /** Until the agent waits for the caller. */
  async settle(): Promise<void> {
    while (this.#endReason === null) {
      if (this.#time.isPassing) await this.#time.pass();
      else if (!this.#isBusy() || !this.#time.toNext()) return;
    }
  }

  async say(text: string): Promise<void> {
    const startMs = this.#audioMs();
    this.#media.tell({ type: 'speech_started', audioMs: startMs });
    this.#time.clock.runUntil(this.#time.nowMs + LINE_MS);
    const endMs = this.#audioMs();
    this.#media.tell({ type: 'speech_stopped', audioMs: endMs });
    this.#transcriber.hear(text, startMs, endMs);
    await this.settle();
  }

  async press(digits: string): Promise<void> {
    for (const digit of digits) this.#media.tell({ type: 'dtmf', digit, durationMs: KEY_MS });
    await this.settle();
  }

  /** The caller says nothing for so long. What the agent says into the silence is part of it. */
  async waitSilently(seconds: number): Promise<void> {
    const untilMs = this.#time.nowMs + seconds * 1000;
    await this.settle();
    while (this.#endReason === null && this.#time.toNext(untilMs)) await this.settle();
    if (this.#endReason === null && this.#time.nowMs < untilMs) this.#time.clock.runUntil(untilMs);
  }

  /** Also from outside, while another method has not resolved: that one resolves then. */
  async hangUp(): Promise<void> {
    this.#control.callerHangsUp();
    this.#time.wake();
    await this.settle();
  }

  #isBusy(): boolean {
    const { nextMs } = this.#time.clock;
    const isDue = nextMs !== null && nextMs <= this.#time.nowMs;
    return isDue || [...this.#timers].some((timer) => !WAITING_FOR_CALLER.has(timer));
  }

  /** Without packets the caller's audio is counted from the answer on. */
  #audioMs(): number {
    return this.#time.nowMs - (this.#call.view().answeredUs ?? 0) / 1000;
  }

  #followTimers({ event, commands }: TapeEntry): void {
    if (event.type === 'timer') this.#timers.delete(event.timer);
    for (const command of commands) {
      if (command.type === 'timer.start') this.#timers.add(command.timer);
      if (command.type === 'timer.stop') this.#timers.delete(command.timer);
    }
  }
}
