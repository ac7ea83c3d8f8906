import { randomUUID } from 'node:crypto';
import type { CallParameters } from '../../engine/core/state/call-parameters.ts';
import type { TimerName } from '../../engine/core/timer.ts';
import type { EndReason } from '../../engine/ports/end-reason.ts';
import type { JournalEntry } from '../../engine/ports/journal.ts';
import type { CallPorts } from '../../engine/session/call-ports.ts';
import type { CompiledAgent } from '../../engine/session/machine/compile-agent.ts';
import { type CallHandle, type CallView, startCall } from '../../engine/session/start-call.ts';
import type { TapeEntry } from '../../engine/tape/tape-format.ts';
import type { CallTime } from './call-time.ts';
import { TextControl } from './text-control.ts';
import { TextMedia } from './text-media.ts';
import { TEXT_TRAITS, TextTranscriber } from './text-transcriber.ts';
import { createTextVoice } from './text-voice.ts';

/** Duration of a typed line as speech: long enough for every rule. */
const LINE_MS = 1_000;
/** Duration of a DTMF digit of most phones. */
const KEY_MS = 100;
/** Timers that wait for the user. All others belong to the agent turn and expire without the user. */
const USER_TIMERS: ReadonlySet<TimerName> = new Set([
  'presence',
  'max_duration',
  'answering_machine_detection',
  'answering_machine_correction',
  'screening_wait',
] as const);

export type TextCallParameters = Pick<CallParameters, 'direction' | 'fromNumber' | 'toNumber' | 'dynamicVariables'>;

export interface TextCallOptions {
  readonly compiled: CompiledAgent;
  readonly parameters: TextCallParameters;
  readonly time: CallTime;
  readonly ports: Pick<CallPorts, 'model' | 'tools' | 'knowledge' | 'log'>;
  readonly onEntry?: (entry: JournalEntry) => void;
}

/**
 * A call of the real engine without telephony. Each method is an action of the user. It resolves when the agent has finished its
 * response and waits for the user again, or the call has ended.
 */
export class TextCall {
  readonly #time: CallTime;
  readonly #media: TextMedia;
  readonly #transcriber = new TextTranscriber();
  readonly #control: TextControl;
  readonly #timers = new Set<TimerName>();
  readonly #call: CallHandle;
  #endReason: EndReason | null = null;

  constructor({ compiled, parameters, time, ports, onEntry }: TextCallOptions) {
    const { clock } = time;
    this.#time = time;
    this.#media = new TextMedia(clock);
    this.#control = new TextControl(clock);
    this.#call = startCall({
      compiled,
      parameters: {
        ...parameters,
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
    if (parameters.direction === 'outbound') this.#control.answer();
  }

  /** null during the call. */
  get endReason(): EndReason | null {
    return this.#endReason;
  }

  view(): CallView {
    return this.#call.view();
  }

  /** Resolves when the agent waits for the user. */
  async settle(): Promise<void> {
    while (this.#endReason === null) {
      if (this.#time.isPassing) await this.#time.pass();
      else if (!this.#isBusy() || !this.#time.advanceToNextTimer()) return;
    }
  }

  async say(text: string): Promise<void> {
    const startMs = this.#audioMs();
    this.#media.emit({ type: 'speech_started', audioMs: startMs });
    this.#time.clock.runUntil(this.#time.nowMs + LINE_MS);
    const endMs = this.#audioMs();
    this.#media.emit({ type: 'speech_stopped', audioMs: endMs });
    this.#transcriber.hear(text, startMs, endMs);
    await this.settle();
  }

  async press(digits: string): Promise<void> {
    for (const digit of digits) this.#media.emit({ type: 'dtmf', digit, durationMs: KEY_MS });
    await this.settle();
  }

  /** The user is silent for this time, including the agent speech in it. */
  async waitSilently(seconds: number): Promise<void> {
    const untilMs = this.#time.nowMs + seconds * 1000;
    await this.settle();
    while (this.#endReason === null && this.#time.advanceToNextTimer(untilMs)) await this.settle();
    if (this.#endReason === null && this.#time.nowMs < untilMs) this.#time.clock.runUntil(untilMs);
  }

  /** May be called while another method is pending; that method then resolves. */
  async hangUp(): Promise<void> {
    this.#control.userHangsUp();
    this.#time.wake();
    await this.settle();
  }

  #isBusy(): boolean {
    const { nextMs } = this.#time.clock;
    const isDue = nextMs !== null && nextMs <= this.#time.nowMs;
    return isDue || [...this.#timers].some((timer) => !USER_TIMERS.has(timer));
  }

  /** Without packets, user audio is counted from the answer on. */
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
