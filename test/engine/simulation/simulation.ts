import { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import type { CallCommand } from '../../../engine/core/command.ts';
import type { EngineNotice } from '../../../engine/core/notice.ts';
import type { CallParameters } from '../../../engine/core/state/call-parameters.ts';
import { type TurnTimes, turnTimes } from '../../../engine/metrics/turn-times.ts';
import type { CallControl, CallControlEvent } from '../../../engine/ports/call-control.ts';
import type { EndOfTurnModel } from '../../../engine/ports/end-of-turn-model.ts';
import type { EndReason } from '../../../engine/ports/end-reason.ts';
import type { JournalEntry, TranscriptEntry } from '../../../engine/ports/journal.ts';
import type { Knowledge, KnowledgeSearch } from '../../../engine/ports/knowledge.ts';
import type { ToolRun, ToolRunner } from '../../../engine/ports/tool-runner.ts';
import type { TranscriberEvent } from '../../../engine/ports/transcriber.ts';
import type { TurnRecord } from '../../../engine/ports/turn-record.ts';
import { type CompiledAgent, compileAgent } from '../../../engine/session/machine/compile-agent.ts';
import { type CallHandle, startCall } from '../../../engine/session/start-call.ts';
import type { TapeEntry } from '../../../engine/tape/tape-format.ts';
import { agentWith, CALL_PARAMETERS } from './agent-with.ts';
import { FINAL_MS, HANG_UP_MS } from './default-timing.ts';
import type { Scenario } from './scenario.ts';
import { SimulatedModel } from './simulated-model.ts';
import { SimulatedTranscriber } from './simulated-transcriber.ts';
import { SimulatedVoice } from './simulated-voice.ts';
import { UnframedMedia } from './unframed-media.ts';

const FAULT_NOTICES: ReadonlySet<EngineNotice['type']> = new Set([
  'playout_stalled',
  'port_failed',
  'rule_failed',
  'tape_write_failed',
]);

/** A piece of a segment that the user heard without a pause. Times in ms of the call. */
export interface HeardSegment {
  readonly text: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * One call on a simulated clock, with scripted providers. It is answered at 0. Methods take seconds. Those with a
 * time plan an action (`userSpeaks`, `userPresses`, `interimAt`, `hangUpAt`, `at`). Those named `emit…` act now.
 */
export class Simulation {
  readonly clock: SimulatedClock;
  readonly media: UnframedMedia;
  readonly knowledgeSearches: KnowledgeSearch[] = [];
  readonly toolRuns: ToolRun[] = [];
  readonly commands: CallCommand[] = [];
  readonly tape: TapeEntry[] = [];
  readonly journal: JournalEntry[] = [];
  readonly notices: EngineNotice[] = [];
  readonly parameters: CallParameters;
  readonly compiled: CompiledAgent;
  readonly handle: CallHandle;
  endReason: EndReason | null = null;
  readonly #scenario: Scenario;
  readonly #model: SimulatedModel;
  readonly #voice: SimulatedVoice;
  readonly #transcriber: SimulatedTranscriber;
  #emitControl: (event: CallControlEvent) => void = () => {};
  #legEnded = false;

  constructor(scenario: Scenario, compiled = compileAgent(agentWith(scenario.agent)), clock?: SimulatedClock) {
    this.#scenario = scenario;
    const hasModel = scenario.endOfTurnModel !== undefined && { hasEndOfTurnModel: true as const };
    this.parameters = { ...CALL_PARAMETERS, ...hasModel, ...scenario.parameters };
    this.clock = clock ?? new SimulatedClock(this.parameters.startedWallMs);
    this.media = new UnframedMedia(this.clock);
    this.#model = new SimulatedModel(scenario, this.clock);
    this.#voice = new SimulatedVoice(scenario, this.clock);
    this.#transcriber = new SimulatedTranscriber(scenario, this.parameters.transcriberTraits, this.clock);
    this.compiled = compiled;
    this.handle = startCall({
      compiled,
      parameters: this.parameters,
      tape: (entry) => {
        this.tape.push(entry);
        this.commands.push(...entry.commands);
      },
      firstEvent: { type: 'call.offered' },
      ports: {
        transcriber: this.#transcriber,
        model: this.#model,
        voice: this.#voice,
        media: this.media,
        control: this.#control(),
        tools: this.#tools(),
        knowledge: this.#knowledge(),
        endOfTurnModel: this.#endOfTurnModel(),
        journal: { write: (entry) => this.#write(entry) },
        clock: this.clock,
        log: (notice) => void this.notices.push(notice),
      },
    });
  }

  at(seconds: number, act: (call: this) => void): this {
    this.clock.at(seconds * 1000, () => act(this));
    return this;
  }

  runUntil(seconds: number): this {
    this.clock.runUntil(seconds * 1000);
    return this;
  }

  /** Plans the user's speech. A final with all its words comes `finalAfter` seconds after its end. */
  userSpeaks(
    from: number,
    to: number,
    text: string,
    { finalAfter = FINAL_MS / 1000 }: { finalAfter?: number } = {},
  ): this {
    this.at(from, () => this.media.emit({ type: 'speech_started', audioMs: from * 1000 }));
    this.at(to, () => this.media.emit({ type: 'speech_stopped', audioMs: to * 1000 }));
    this.at(to + finalAfter, () => this.emitFinal(from, to, text));
    return this;
  }

  /** Plans the user's DTMF digits, one each `interval`. */
  userPresses(from: number, digits: string, interval = 0.2): this {
    for (const [index, digit] of [...digits].entries()) {
      this.at(from + index * interval, () => this.media.emit({ type: 'dtmf', digit, durationMs: 100 }));
    }
    return this;
  }

  interimAt(at: number, from: number, text: string): this {
    const event = { type: 'interim', text, startMs: from * 1000, endMs: at * 1000 } as const;
    return this.at(at, () => this.emitTranscriberEvent(event));
  }

  hangUpAt(seconds: number): this {
    return this.at(seconds, () => this.emitControlEvent({ type: 'ended', cause: 'remote_bye' }));
  }

  emitFinal(from: number, to: number, text: string): void {
    const span = { startMs: from * 1000, endMs: to * 1000 };
    this.emitTranscriberEvent({ type: 'final', text, words: [], ...span });
  }

  emitTranscriberEvent(event: TranscriberEvent): void {
    this.#transcriber.emit(event);
  }

  /** An answering machine's beep, or special information tones (SIT). */
  emitTone(from: number, to: number, kind: 'beep' | 'sit' = 'beep'): void {
    this.media.emit({ type: 'tone', kind, frequencyHz: 1_000, startMs: from * 1000, endMs: to * 1000 });
  }

  emitControlEvent(event: CallControlEvent): void {
    if (this.#legEnded) return;
    this.#legEnded = event.type === 'ended';
    if (event.type === 'on_hold' || event.type === 'off_hold') this.media.setOnHold(event.type === 'on_hold');
    this.#emitControl(event);
  }

  failTranscriberWrites(): void {
    this.#transcriber.writesFail = true;
  }

  onTranscriberClose(listener: () => void): void {
    this.#transcriber.onClose = listener;
  }

  /** The conversation's requests. Extractions and summaries have their own lists. */
  get modelRequests(): SimulatedModel['requests'] {
    return this.#model.requests;
  }

  get extractionRequests(): SimulatedModel['extractionRequests'] {
    return this.#model.extractionRequests;
  }

  get summaryRequests(): SimulatedModel['summaryRequests'] {
    return this.#model.summaryRequests;
  }

  get cancelledGenerations(): number {
    return this.#model.cancelledGenerations;
  }

  get transcriberStreams(): SimulatedTranscriber['streams'] {
    return this.#transcriber.streams;
  }

  get openedVoices(): SimulatedVoice['opened'] {
    return this.#voice.opened;
  }

  /** The agent's audio that was sent, in order: one entry for each piece of a segment between pauses. */
  get heard(): readonly HeardSegment[] {
    return this.media.sentAudio.map(({ segment, fromMs, toMs }) => ({ text: this.textOf(segment), fromMs, toMs }));
  }

  get heardTexts(): readonly string[] {
    return this.heard.map(({ text }) => text);
  }

  /** The characters whose audio was sent. */
  get heardText(): string {
    const playedMs = new Map<number, number>();
    const parts = this.media.sentAudio.map(({ segment, fromMs, toMs }) => {
      const startMs = playedMs.get(segment) ?? 0;
      const endMs = startMs + toMs - fromMs;
      playedMs.set(segment, endMs);
      const characterMs = this.#voice.characterMs.get(segment) ?? 1;
      const part = this.textOf(segment).slice(Math.round(startMs / characterMs), Math.round(endMs / characterMs));
      return `${startMs === 0 ? ' ' : ''}${part}`;
    });
    return parts.join('').trim();
  }

  /** The text that a segment was given to speak. */
  textOf(segment: number): string {
    return this.#voice.texts.get(segment) ?? '';
  }

  get transcript(): readonly TranscriptEntry[] {
    return this.handle.view().transcript;
  }

  /** The transcript's turns as `role: content`. */
  get dialogue(): readonly string[] {
    return this.transcript
      .filter(({ role }) => role === 'user' || role === 'agent')
      .map(({ role, content }) => `${role}: ${content}`);
  }

  /** The times at which the engine issued commands of this type, ms. */
  commandTimesMs(type: CallCommand['type']): readonly number[] {
    return this.tape
      .filter(({ commands }) => commands.some((command) => command.type === type))
      .map(({ atUs }) => atUs / 1000);
  }

  journalEntries<T extends JournalEntry['type']>(type: T): readonly Extract<JournalEntry, { readonly type: T }>[] {
    return this.journal.filter((entry): entry is Extract<JournalEntry, { readonly type: T }> => entry.type === type);
  }

  /** The records of the turns, as they were written last. */
  get turns(): readonly TurnRecord[] {
    return [...new Map(this.journalEntries('turn').map(({ record }) => [record.turn, record])).values()];
  }

  /** The durations of the turns whose answer was heard. */
  get turnTimes(): readonly TurnTimes[] {
    return this.turns.filter(({ answerHeardMs }) => answerHeardMs !== null).map(turnTimes);
  }

  noticesOf<T extends EngineNotice['type']>(type: T): readonly Extract<EngineNotice, { readonly type: T }>[] {
    return this.notices.filter((notice): notice is Extract<EngineNotice, { readonly type: T }> => notice.type === type);
  }

  /** Notices of failures of our own code or its host. */
  get faultNotices(): readonly EngineNotice[] {
    return this.notices.filter(({ type }) => FAULT_NOTICES.has(type));
  }

  #write(entry: JournalEntry): void {
    this.journal.push(entry);
    if (entry.type === 'ended') this.endReason = entry.reason;
  }

  #control(): CallControl {
    return {
      answer: () => this.clock.after(0, () => this.emitControlEvent({ type: 'answered' })),
      hangUp: () => this.clock.after(HANG_UP_MS, () => this.emitControlEvent({ type: 'ended', cause: 'local_bye' })),
      transfer: () => {
        const { transfer } = this.#scenario;
        if (transfer === undefined) return;
        const outcome: CallControlEvent = transfer.succeeds
          ? { type: 'transfer_succeeded' }
          : { type: 'transfer_failed', reason: 'busy' };
        this.clock.after(transfer.after * 1000, () => this.emitControlEvent(outcome));
      },
      onEvent: (listener) => {
        this.#emitControl = listener;
      },
    };
  }

  #tools(): ToolRunner {
    return {
      run: (run, done) => {
        this.toolRuns.push(run);
        const { after, result } = this.#scenario.tools?.[run.tool.name] ?? { after: 0.1, result: {} };
        this.clock.after(after * 1000, () => done({ successful: true, content: '{}', mapped: [], ...result }));
      },
    };
  }

  #endOfTurnModel(): EndOfTurnModel | undefined {
    const { endOfTurnModel } = this.#scenario;
    if (endOfTurnModel === undefined) return undefined;
    const { after, probability } = endOfTurnModel;
    return {
      judge: (_audio, _format, answer) => {
        if (probability !== null) this.clock.after(after * 1000, () => answer(probability));
      },
    };
  }

  #knowledge(): Knowledge {
    return {
      search: (search, done) => {
        this.knowledgeSearches.push(search);
        const { after, result } = this.#scenario.knowledge ?? { after: 0.01, result: { type: 'found', passages: [] } };
        if (result === 'throws') throw new Error('no knowledge');
        this.clock.after(after * 1000, () => done(result));
      },
    };
  }
}
