import type { z } from 'zod';
import { type AgentConfiguration, agentConfigurationSchema } from '../../engine/agent/agent.ts';
import type { CallFacts } from '../../engine/call/call-facts.ts';
import type { CallCommand } from '../../engine/call/command.ts';
import { type CompiledAgent, compileAgent } from '../../engine/call/compile-agent.ts';
import type { EndReason } from '../../engine/call/end-reason.ts';
import { SimulatedClock } from '../../engine/call/simulated-clock.ts';
import { type CallHandle, startCall } from '../../engine/call/start-call.ts';
import type { CallControl, CallControlEvent } from '../../engine/ports/call-control.ts';
import type { JournalEntry, TranscriptEntry } from '../../engine/ports/journal.ts';
import type { JsonValue, LanguageModel, ModelEvent, ModelRequest } from '../../engine/ports/language-model.ts';
import type { ToolResult, ToolRun, ToolRunner } from '../../engine/ports/tool-runner.ts';
import type { Transcriber, TranscriberEvent } from '../../engine/ports/transcriber.ts';
import type { Voice, VoiceEvent } from '../../engine/ports/voice.ts';
import type { TapeEntry } from '../../engine/tape/tape.ts';
import { SimulatedMedia } from './simulated-media.ts';

/** What a model says to one request. Times in seconds after it; words come as one piece. */
export interface Says {
  readonly after?: number;
  /** Its first character comes this long after the request, the rest after `after`. */
  readonly token?: number;
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly arguments?: JsonValue | string; readonly id?: string }[];
  readonly fails?: { readonly retryable: boolean };
  /** Nothing ever comes. */
  readonly silent?: boolean;
}

export interface Scenario {
  readonly agent: Partial<z.input<typeof agentConfigurationSchema>>;
  readonly facts?: Partial<CallFacts>;
  /** The n-th conversation request gets the n-th; past the end the model says «Yes.». */
  readonly model?: readonly Says[];
  readonly extraction?: readonly JsonValue[];
  /** The n-th summary, two seconds after it is asked for; `fails`: it fails then. None ever comes where it is null, nor past the end. */
  readonly summaries?: readonly (string | null)[];
  /** By function name: seconds until the result, and the result. */
  readonly tools?: Readonly<Record<string, { readonly after: number; readonly result: Partial<ToolResult> }>>;
  /** Seconds from the order to its outcome; without it nothing ever comes of a transfer. */
  readonly transfer?: { readonly after: number; readonly succeeds: boolean };
  /** Seconds from a segment to its first audio, and how long a character plays. */
  readonly voice?: {
    readonly after?: number;
    readonly characterMs?: number;
    /** Each segment, or all that were given when the first one is due: a connection that is lost once. */
    readonly fails?: 'always' | 'once';
    readonly silent?: boolean;
  };
}

export interface Heard {
  readonly text: string;
  readonly fromMs: number;
  readonly toMs: number;
}

const DEFAULT_AGENT = {
  voice: { provider: 'test', name: 'voice' },
  llm: { provider: 'test', model: 'model' },
  transcriber: { provider: 'test' },
  states: [{ name: 'start' }],
  initial_state_name: 'start',
};

export function agentOf(given: Scenario['agent']): AgentConfiguration {
  return agentConfigurationSchema.parse({ ...DEFAULT_AGENT, ...given });
}

export const FACTS: CallFacts = {
  callId: '00000000-0000-4000-8000-000000000001',
  agentId: '00000000-0000-4000-8000-000000000002',
  agentVersion: 1,
  direction: 'inbound',
  fromNumber: '+4930123456',
  toNumber: '+4930654321',
  dynamicVariables: {},
  startedWallMs: Date.parse('2026-03-01T10:00:00Z'),
  transcriberTraits: { nativeTurns: false, finalP99Ms: 400 },
};

/** One call on a simulated clock, with scripted providers. Times in seconds, the call is answered at 0. */
export class Simulation {
  readonly clock: SimulatedClock;
  readonly media: SimulatedMedia;
  readonly requests: ModelRequest[] = [];
  readonly extractions: ModelRequest[] = [];
  readonly summaries: ModelRequest[] = [];
  readonly runs: ToolRun[] = [];
  readonly commands: CallCommand[] = [];
  readonly tape: TapeEntry[] = [];
  readonly journal: JournalEntry[] = [];
  readonly logs: string[] = [];
  readonly facts: CallFacts;
  readonly compiled: CompiledAgent;
  readonly call: CallHandle;
  cancelled = 0;
  endedWith: EndReason | null = null;
  private readonly spoken = new Map<number, string>();
  private readonly scenario: Scenario;
  private emitTranscriber: (event: TranscriberEvent) => void = () => {};
  private emitControl: (event: CallControlEvent) => void = () => {};
  private legGone = false;
  private writeAudio: () => void = () => {};

  constructor(scenario: Scenario, compiled = compileAgent(agentOf(scenario.agent)), clock?: SimulatedClock) {
    this.scenario = scenario;
    this.facts = { ...FACTS, ...scenario.facts };
    this.clock = clock ?? new SimulatedClock(this.facts.startedWallMs);
    this.media = new SimulatedMedia(this.clock);
    this.compiled = compiled;
    this.call = startCall({
      compiled,
      facts: this.facts,
      tape: (entry) => {
        this.tape.push(entry);
        this.commands.push(...entry.commands);
      },
      firstEvent: { type: 'call.offered' },
      ports: {
        transcriber: this.transcriber(),
        model: this.model(),
        voice: this.voice(),
        media: this.media,
        control: this.control(),
        tools: this.tools(),
        journal: { write: (entry) => this.write(entry) },
        clock: this.clock,
        log: (level, message) => this.logs.push(`${level}: ${message}`),
      },
    });
  }

  at(seconds: number, act: (call: this) => void): this {
    this.clock.at(seconds * 1000, () => act(this));
    return this;
  }

  /** The caller speaks, and a final with all their words comes `finalAfter` seconds later. */
  callerSpeaks(
    from: number,
    to: number,
    text: string,
    options: { finalAfter?: number; endOfTurn?: boolean } = {},
  ): this {
    const { finalAfter = 0.2, endOfTurn = true } = options;
    this.at(from, () => this.media.tell({ type: 'speech_started', audioMs: from * 1000 }));
    this.at(to, () => this.media.tell({ type: 'speech_stopped', audioMs: to * 1000 }));
    this.at(to + finalAfter, () => this.final(from, to, text, endOfTurn));
    return this;
  }

  final(from: number, to: number, text: string, endOfTurn = true): void {
    this.hear({ type: 'final', text, words: [], startMs: from * 1000, endMs: to * 1000, endOfTurn });
  }

  interim(at: number, from: number, text: string): this {
    return this.at(at, () => this.hear({ type: 'interim', text, startMs: from * 1000, endMs: at * 1000 }));
  }

  /** A machine's beep, told now. Times in seconds. */
  beep(from: number, to: number, kind: 'beep' | 'sit' = 'beep'): void {
    this.media.tell({ type: 'tone', kind, frequencyHz: 1_000, startMs: from * 1000, endMs: to * 1000 });
  }

  breakTranscriber(): void {
    this.writeAudio = () => {
      throw new Error('injected');
    };
  }

  hear(event: TranscriberEvent): void {
    this.emitTranscriber(event);
  }

  leg(event: CallControlEvent): void {
    if (this.legGone) return;
    this.legGone = event.type === 'ended';
    if (event.type === 'held' || event.type === 'resumed') this.media.hold(event.type === 'held');
    this.emitControl(event);
  }

  hangUp(at: number): this {
    return this.at(at, () => this.leg({ type: 'ended', cause: 'remote_bye' }));
  }

  run(untilSeconds: number): this {
    this.clock.runUntil(untilSeconds * 1000);
    return this;
  }

  /** What left on the wire, segment by segment; an interval for each piece between pauses. */
  get heard(): readonly Heard[] {
    return this.media.wire.map(({ segment, fromMs, toMs }) => ({ text: this.spoken.get(segment) ?? '', fromMs, toMs }));
  }

  get transcript(): readonly TranscriptEntry[] {
    return this.call.view().transcript;
  }

  /** `role: content` of each spoken line. */
  get lines(): readonly string[] {
    return this.transcript
      .filter(({ role }) => role === 'user' || role === 'agent')
      .map((one) => `${one.role}: ${one.content}`);
  }

  entries<T extends JournalEntry['type']>(type: T): readonly Extract<JournalEntry, { readonly type: T }>[] {
    return this.journal.filter((entry): entry is Extract<JournalEntry, { readonly type: T }> => entry.type === type);
  }

  private write(entry: JournalEntry): void {
    this.journal.push(entry);
    if (entry.type === 'ended') this.endedWith = entry.reason;
  }

  private control(): CallControl {
    return {
      answer: () => this.clock.after(0, () => this.leg({ type: 'answered' })),
      hangUp: () => this.clock.after(20, () => this.leg({ type: 'ended', cause: 'local_bye' })),
      transfer: () => {
        const { transfer } = this.scenario;
        if (transfer === undefined) return;
        const outcome: CallControlEvent = transfer.succeeds
          ? { type: 'transfer_succeeded' }
          : { type: 'transfer_failed', reason: 'busy' };
        this.clock.after(transfer.after * 1000, () => this.leg(outcome));
      },
      onEvent: (listener) => {
        this.emitControl = listener;
      },
    };
  }

  private transcriber(): Transcriber {
    return {
      traits: this.facts.transcriberTraits,
      open: (_options, emit) => {
        this.emitTranscriber = emit;
        return { write: () => this.writeAudio(), finalize: () => {}, close: () => {} };
      },
    };
  }

  private model(): LanguageModel {
    return {
      generate: (request, emit) => {
        const live = { cancelled: false };
        const tell = (event: ModelEvent) => {
          if (!live.cancelled) emit(event);
        };
        if (request.answerSchema === undefined) this.answer(request, tell);
        else if (request.answerSchema.name === 'summary') this.summarise(request, tell);
        else this.extract(request, tell);
        return {
          cancel: () => {
            live.cancelled = true;
            this.cancelled++;
          },
        };
      },
    };
  }

  private answer(request: ModelRequest, tell: (event: ModelEvent) => void): void {
    const says = this.scenario.model?.[this.requests.length] ?? { text: 'Yes.' };
    this.requests.push(request);
    if (says.silent === true) return;
    const early = says.token === undefined ? 0 : 1;
    if (says.token !== undefined) {
      this.clock.after(says.token * 1000, () => tell({ type: 'text', text: says.text?.slice(0, early) ?? '' }));
    }
    this.clock.after((says.after ?? 0.1) * 1000, () => {
      if (says.text !== undefined) tell({ type: 'text', text: says.text.slice(early) });
      if (says.fails !== undefined) {
        const { retryable } = says.fails;
        tell({ type: 'failed', error: { provider: 'test', code: 'unavailable', message: 'no', retryable } });
        return;
      }
      const calls = says.calls ?? [];
      for (const [index, { name, id, arguments: given = {} }] of calls.entries()) {
        const text = typeof given === 'string' ? given : JSON.stringify(given);
        tell({ type: 'tool_call', call: { id: id ?? `c${this.requests.length}_${index}`, name, arguments: text } });
      }
      tell({
        type: 'done',
        finish: calls.length > 0 ? 'tool_calls' : 'stop',
        usage: { inputTokens: 10, outputTokens: 5 },
      });
    });
  }

  private extract(request: ModelRequest, tell: (event: ModelEvent) => void): void {
    const answer = this.scenario.extraction?.[this.extractions.length] ?? {};
    this.extractions.push(request);
    this.clock.after(300, () => {
      tell({ type: 'text', text: JSON.stringify(answer) });
      tell({ type: 'done', finish: 'stop' });
    });
  }

  private summarise(request: ModelRequest, tell: (event: ModelEvent) => void): void {
    const text = this.scenario.summaries?.[this.summaries.length];
    this.summaries.push(request);
    if (text === undefined || text === null) return;
    this.clock.after(2_000, () => {
      if (text === 'fails')
        tell({ type: 'failed', error: { provider: 'test', code: 'timeout', message: 'no', retryable: true } });
      else {
        tell({ type: 'text', text: JSON.stringify({ summary: text }) });
        tell({ type: 'done', finish: 'stop' });
      }
    });
  }

  private voice(): Voice {
    const { after = 0.2, characterMs = 50, fails, silent = false } = this.scenario.voice ?? {};
    return {
      open: (options, emit) => {
        let cancelledThrough = 0;
        let last = 0;
        let lostThrough = 0;
        const tell = (event: VoiceEvent) => {
          if (event.segment > cancelledThrough) emit(event);
        };
        return {
          speak: (segment, text) => {
            last = segment;
            this.spoken.set(segment, text);
            if (silent) return;
            this.clock.after(after * 1000, () => {
              if (segment <= lostThrough) return;
              if (fails === 'always' || (fails === 'once' && lostThrough === 0)) {
                const error = { provider: 'test', code: 'unavailable', message: 'no', retryable: true } as const;
                lostThrough = fails === 'once' ? last : segment;
                const lost = lostThrough;
                for (let one = segment; one <= lost; one++) tell({ type: 'failed', segment: one, error });
                return;
              }
              const audio = new Uint8Array(text.length * characterMs * 8);
              tell({ type: 'audio', segment, format: options.format, audio });
              tell({ type: 'done', segment });
            });
          },
          cancel: () => {
            cancelledThrough = last;
          },
          close: () => {
            cancelledThrough = Number.POSITIVE_INFINITY;
          },
        };
      },
    };
  }

  private tools(): ToolRunner {
    return {
      run: (run, done) => {
        this.runs.push(run);
        const { after, result } = this.scenario.tools?.[run.tool.name] ?? { after: 0.1, result: {} };
        this.clock.after(after * 1000, () => done({ successful: true, content: '{}', mapped: [], ...result }));
      },
    };
  }
}
