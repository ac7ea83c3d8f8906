import type { z } from 'zod';
import { SimulatedClock } from '../../../base/time/simulated-clock.ts';
import { type AgentConfiguration, agentConfigurationSchema } from '../../../engine/agent/agent.ts';
import type { JsonValue } from '../../../engine/agent/json-value.ts';
import type { CallParameters } from '../../../engine/core/call-parameters.ts';
import type { CallCommand } from '../../../engine/core/command.ts';
import type { CallControl, CallControlEvent } from '../../../engine/ports/call-control.ts';
import type { EndReason } from '../../../engine/ports/end-reason.ts';
import type { JournalEntry, TranscriptEntry } from '../../../engine/ports/journal.ts';
import type { Knowledge, KnowledgeResult, KnowledgeSearch } from '../../../engine/ports/knowledge.ts';
import type { LanguageModel, ModelEvent, ModelRequest } from '../../../engine/ports/language-model.ts';
import type { ProviderErrorCode } from '../../../engine/ports/provider-error.ts';
import type { ToolResult, ToolRun, ToolRunner } from '../../../engine/ports/tool-runner.ts';
import type { Transcriber, TranscriberEvent, TranscriberOptions } from '../../../engine/ports/transcriber.ts';
import type { SpokenWord, Voice, VoiceEvent } from '../../../engine/ports/voice.ts';
import { type CompiledAgent, compileAgent } from '../../../engine/session/machine/compile-agent.ts';
import { type CallHandle, startCall } from '../../../engine/session/start-call.ts';
import type { TapeEntry } from '../../../engine/tape/tape-format.ts';
import { SimulatedMedia } from './simulated-media.ts';

/** What a model says to one request. Times in seconds after it; words come as one piece. */
export interface Says {
  readonly after?: number;
  /** Its first character comes this long after the request, the rest after `after`. */
  readonly token?: number;
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly arguments?: JsonValue | string; readonly id?: string }[];
  readonly fails?: { readonly retryable: boolean; readonly retryAfterMs?: number; readonly code?: ProviderErrorCode };
  /** Nothing ever comes; behind a text, its end does not. */
  readonly silent?: boolean;
}

export interface Scenario {
  readonly agent: Partial<z.input<typeof agentConfigurationSchema>>;
  readonly parameters?: Partial<CallParameters>;
  /** The n-th conversation request gets the n-th; past the end the model says «Yes.». */
  readonly model?: readonly Says[];
  readonly extraction?: readonly JsonValue[];
  /** The n-th summary, two seconds after it is asked for; `fails`: it fails then. None ever comes where it is null, nor past the end. */
  readonly summaries?: readonly (string | null)[];
  /** The first so many extractions fail. */
  readonly extractionFails?: number;
  /** By function name: seconds until the result, and the result. */
  readonly tools?: Readonly<Record<string, { readonly after: number; readonly result: Partial<ToolResult> }>>;
  /** What each search finds, and after how many seconds; without it a search finds nothing. */
  readonly knowledge?: { readonly after: number; readonly result: KnowledgeResult | 'throws' };
  /** Seconds from the order to its outcome; without it nothing ever comes of a transfer. */
  readonly transfer?: { readonly after: number; readonly succeeds: boolean };
  /** The n-th stream gets the n-th; past the end it is ready at once. */
  readonly transcriber?: readonly TranscriberScript[];
  readonly voice?: VoiceScript;
  /** By the name of a voice, in the place of `voice`. */
  readonly voices?: Readonly<Record<string, VoiceScript>>;
}

/** Seconds until a stream is ready, or never. The first one is not told as ready unless it is scripted. */
export interface TranscriberScript {
  readonly ready?: number;
  readonly never?: boolean;
  readonly refuses?: { readonly retryable: boolean };
}

export interface VoiceScript {
  /** Seconds from a segment to its first audio. */
  readonly after?: number;
  /** How long a character plays. */
  readonly characterMs?: number;
  /** Each segment, or all that were given when the first one is due: a connection that is lost once. */
  readonly fails?: 'always' | 'once';
  readonly silent?: boolean;
  /** The n-th text (from 0) and all behind it fail after so much audio, without another try where `lost`. */
  readonly breaks?: readonly { readonly nth: number; readonly afterMs: number; readonly lost?: boolean }[];
  /** The n-th texts (from 0) end without a sample. */
  readonly mute?: readonly number[];
  /** Each word's times are told ahead of the audio. */
  readonly words?: boolean;
  /** The same with `unevenWords`. */
  readonly wordTimes?: boolean;
  /** Only these are spoken, as by a cache in front of a voice that is gone. */
  readonly only?: readonly string[];
}

/** The first half of a segment's words is spoken in a third of its time. Times from the segment's first sample. */
export function unevenWords(text: string, durationMs: number): readonly SpokenWord[] {
  const words = text.split(/\s+/);
  const half = Math.ceil(words.length / 2);
  const endOf = (index: number) =>
    index < half
      ? (durationMs / 3) * ((index + 1) / half)
      : durationMs / 3 + ((durationMs * 2) / 3) * ((index + 1 - half) / (words.length - half));
  return words.map((word, index) => ({ text: word, startMs: index === 0 ? 0 : endOf(index - 1), endMs: endOf(index) }));
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

export const CALL_PARAMETERS: CallParameters = {
  callId: '00000000-0000-4000-8000-000000000001',
  agentId: '00000000-0000-4000-8000-000000000002',
  agentVersion: 1,
  direction: 'inbound',
  fromNumber: '+4930123456',
  toNumber: '+4930654321',
  dynamicVariables: {},
  startedWallMs: Date.parse('2026-03-01T10:00:00Z'),
  transcriberTraits: { detectsTurns: false, finalP99Ms: 400 },
};

/** One call on a simulated clock, with scripted providers. Times in seconds, the call is answered at 0. */
export class Simulation {
  readonly clock: SimulatedClock;
  readonly media: SimulatedMedia;
  readonly requests: ModelRequest[] = [];
  readonly extractions: ModelRequest[] = [];
  readonly summaries: ModelRequest[] = [];
  readonly searches: KnowledgeSearch[] = [];
  readonly runs: ToolRun[] = [];
  readonly commands: CallCommand[] = [];
  readonly tape: TapeEntry[] = [];
  readonly journal: JournalEntry[] = [];
  readonly logs: string[] = [];
  readonly parameters: CallParameters;
  readonly compiled: CompiledAgent;
  readonly call: CallHandle;
  cancelled = 0;
  /** What else happens where a stream of the transcriber is closed. */
  closesTranscriber: () => void = () => {};
  /** Each stream of the transcriber that was opened, with what it was given. */
  readonly listens: { readonly options: TranscriberOptions; bytes: number; closed: boolean }[] = [];
  /** The voices that were opened, and what each was asked to say. */
  readonly voicesOpened: { readonly name: string; readonly texts: string[] }[] = [];
  endedWith: EndReason | null = null;
  readonly #spoken = new Map<number, string>();
  readonly #paceMs = new Map<number, number>();
  readonly #scenario: Scenario;
  #emitTranscriber: (event: TranscriberEvent) => void = () => {};
  #emitControl: (event: CallControlEvent) => void = () => {};
  #legGone = false;
  #writeAudio: () => void = () => {};

  constructor(scenario: Scenario, compiled = compileAgent(agentOf(scenario.agent)), clock?: SimulatedClock) {
    this.#scenario = scenario;
    this.parameters = { ...CALL_PARAMETERS, ...scenario.parameters };
    this.clock = clock ?? new SimulatedClock(this.parameters.startedWallMs);
    this.media = new SimulatedMedia(this.clock);
    this.compiled = compiled;
    this.call = startCall({
      compiled,
      parameters: this.parameters,
      tape: (entry) => {
        this.tape.push(entry);
        this.commands.push(...entry.commands);
      },
      firstEvent: { type: 'call.offered' },
      ports: {
        transcriber: this.#transcriber(),
        model: this.#model(),
        voice: this.#voice(),
        media: this.media,
        control: this.#control(),
        tools: this.#tools(),
        knowledge: this.#knowledge(),
        journal: { write: (entry) => this.#write(entry) },
        clock: this.clock,
        log: (level, message) => this.logs.push(`${level}: ${message}`),
      },
    });
  }

  at(seconds: number, act: (call: this) => void): this {
    this.clock.at(seconds * 1000, () => act(this));
    return this;
  }

  /** The user speaks, and a final with all their words comes `finalAfter` seconds later. */
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
    this.#writeAudio = () => {
      throw new Error('injected');
    };
  }

  hear(event: TranscriberEvent): void {
    this.#emitTranscriber(event);
  }

  leg(event: CallControlEvent): void {
    if (this.#legGone) return;
    this.#legGone = event.type === 'ended';
    if (event.type === 'on_hold' || event.type === 'off_hold') this.media.hold(event.type === 'on_hold');
    this.#emitControl(event);
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
    return this.media.wire.map(({ segment, fromMs, toMs }) => ({ text: this.textOf(segment), fromMs, toMs }));
  }

  /** What a segment was given to speak. */
  textOf(segment: number): string {
    return this.#spoken.get(segment) ?? '';
  }

  /** The very characters that left on the wire, as the voices spoke them. */
  get heardText(): string {
    const playedMs = new Map<number, number>();
    const parts = this.media.wire.map(({ segment, fromMs, toMs }) => {
      const before = playedMs.get(segment) ?? 0;
      const after = before + toMs - fromMs;
      playedMs.set(segment, after);
      const pace = this.#paceMs.get(segment) ?? 1;
      return `${before === 0 ? ' ' : ''}${(this.#spoken.get(segment) ?? '').slice(Math.round(before / pace), Math.round(after / pace))}`;
    });
    return parts.join('').trim();
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

  #write(entry: JournalEntry): void {
    this.journal.push(entry);
    if (entry.type === 'ended') this.endedWith = entry.reason;
  }

  #control(): CallControl {
    return {
      answer: () => this.clock.after(0, () => this.leg({ type: 'answered' })),
      hangUp: () => this.clock.after(20, () => this.leg({ type: 'ended', cause: 'local_bye' })),
      transfer: () => {
        const { transfer } = this.#scenario;
        if (transfer === undefined) return;
        const outcome: CallControlEvent = transfer.succeeds
          ? { type: 'transfer_succeeded' }
          : { type: 'transfer_failed', reason: 'busy' };
        this.clock.after(transfer.after * 1000, () => this.leg(outcome));
      },
      onEvent: (listener) => {
        this.#emitControl = listener;
      },
    };
  }

  #transcriber(): Transcriber {
    return {
      traitsOf: () => this.parameters.transcriberTraits,
      open: (options, emit) => {
        const script = this.#scenario.transcriber?.[this.listens.length] ?? { never: this.listens.length === 0 };
        const listen = { options, bytes: 0, closed: false };
        this.listens.push(listen);
        this.#emitTranscriber = emit;
        const { refuses } = script;
        this.clock.after((script.ready ?? 0.05) * 1000, () => {
          if (listen.closed) return;
          if (refuses !== undefined) {
            emit({ type: 'failed', error: { provider: 'test', code: 'closed', message: 'no', ...refuses } });
          } else if (script.never !== true) emit({ type: 'ready' });
        });
        return {
          write: (audio) => {
            listen.bytes += audio.length;
            this.#writeAudio();
          },
          finalize: () => {},
          close: () => {
            listen.closed = true;
            this.closesTranscriber();
          },
        };
      },
    };
  }

  #model(): LanguageModel {
    return {
      generate: (request, emit) => {
        const live = { cancelled: false };
        const tell = (event: ModelEvent) => {
          if (!live.cancelled) emit(event);
        };
        if (request.answerSchema === undefined) this.#answer(request, tell);
        else if (request.answerSchema.name === 'summary') this.#summarise(request, tell);
        else this.#extract(request, tell);
        return {
          cancel: () => {
            live.cancelled = true;
            this.cancelled++;
          },
        };
      },
    };
  }

  #answer(request: ModelRequest, tell: (event: ModelEvent) => void): void {
    const says = this.#scenario.model?.[this.requests.length] ?? { text: 'Yes.' };
    this.requests.push(request);
    if (says.silent === true && says.text === undefined) return;
    const early = says.token === undefined ? 0 : 1;
    if (says.token !== undefined) {
      this.clock.after(says.token * 1000, () => tell({ type: 'text', text: says.text?.slice(0, early) ?? '' }));
    }
    this.clock.after((says.after ?? 0.1) * 1000, () => {
      if (says.text !== undefined) tell({ type: 'text', text: says.text.slice(early) });
      if (says.fails !== undefined) {
        tell({ type: 'failed', error: { provider: 'test', code: 'unavailable', message: 'no', ...says.fails } });
        return;
      }
      if (says.silent === true) return;
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

  #extract(request: ModelRequest, tell: (event: ModelEvent) => void): void {
    const answer = this.#scenario.extraction?.[this.extractions.length] ?? {};
    this.extractions.push(request);
    const fails = this.extractions.length <= (this.#scenario.extractionFails ?? 0);
    this.clock.after(300, () => {
      if (fails) {
        tell({ type: 'failed', error: { provider: 'test', code: 'unavailable', message: 'no', retryable: true } });
        return;
      }
      tell({ type: 'text', text: JSON.stringify(answer) });
      tell({ type: 'done', finish: 'stop' });
    });
  }

  #summarise(request: ModelRequest, tell: (event: ModelEvent) => void): void {
    const text = this.#scenario.summaries?.[this.summaries.length];
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

  #voice(): Voice {
    return {
      open: (options, emit) => {
        const opened: { name: string; texts: string[] } = { name: options.name, texts: [] };
        this.voicesOpened.push(opened);
        const script = this.#scenario.voices?.[options.name] ?? this.#scenario.voice ?? {};
        const { after = 0.2, characterMs = 50 } = script;
        let cancelledThrough = 0;
        let last = 0;
        let lostThrough = 0;
        const tell = (event: VoiceEvent) => {
          if (event.segment > cancelledThrough) emit(event);
        };
        const lose = (segment: number, through: number, retryable: boolean) => {
          const error = { provider: 'test', code: 'unavailable', message: 'no', retryable } as const;
          lostThrough = through;
          for (let one = segment; one <= through; one++) tell({ type: 'failed', segment: one, error });
        };
        const audio = (segment: number, lengthMs: number) =>
          tell({ type: 'audio', segment, format: options.format, audio: new Uint8Array(lengthMs * 8) });
        return {
          speak: (segment, text) => {
            const nth = opened.texts.push(text) - 1;
            last = segment;
            this.#spoken.set(segment, text);
            this.#paceMs.set(segment, characterMs);
            if (script.silent === true) return;
            this.clock.after(after * 1000, () => {
              if (segment <= lostThrough || segment <= cancelledThrough) return;
              const { fails } = script;
              if (fails === 'always' || (fails === 'once' && lostThrough === 0)) {
                lose(segment, fails === 'once' ? last : segment, true);
                return;
              }
              if (script.mute?.includes(nth) === true) {
                tell({ type: 'done', segment });
                return;
              }
              if (script.only?.includes(text) === false) {
                lose(segment, segment, false);
                return;
              }
              const lengthMs = text.length * characterMs;
              if (script.wordTimes === true) tell({ type: 'words', segment, words: unevenWords(text, lengthMs) });
              if (script.words === true) tell({ type: 'words', segment, words: spokenWords(text, characterMs) });
              const breaks = script.breaks?.find((one) => one.nth === nth);
              if (breaks !== undefined) {
                if (breaks.afterMs > 0) audio(segment, breaks.afterMs);
                lose(segment, last, breaks.lost !== true);
                return;
              }
              audio(segment, text.length * characterMs);
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

  #tools(): ToolRunner {
    return {
      run: (run, done) => {
        this.runs.push(run);
        const { after, result } = this.#scenario.tools?.[run.tool.name] ?? { after: 0.1, result: {} };
        this.clock.after(after * 1000, () => done({ successful: true, content: '{}', mapped: [], ...result }));
      },
    };
  }

  #knowledge(): Knowledge {
    return {
      search: (order, done) => {
        this.searches.push(order);
        const { after, result } = this.#scenario.knowledge ?? { after: 0.01, result: { type: 'found', passages: [] } };
        if (result === 'throws') throw new Error('no knowledge');
        this.clock.after(after * 1000, () => done(result));
      },
    };
  }
}

function spokenWords(text: string, characterMs: number): readonly SpokenWord[] {
  return [...text.matchAll(/\S+/g)].map((match) => ({
    text: match[0],
    startMs: match.index * characterMs,
    endMs: (match.index + match[0].length) * characterMs,
  }));
}
