import type { AgentConfiguration, Variable } from '../agent/agent.ts';
import type { AnswerType } from '../ports/answer-type.ts';
import type { TransferOrder } from '../ports/call-control.ts';
import type { EndReason } from '../ports/end-reason.ts';
import type { TurnMetrics } from '../ports/journal.ts';
import type { JsonValue, ModelRequest, ModelToolCall } from '../ports/language-model.ts';
import type { SpokenWord } from '../ports/voice.ts';
import type { CallFacts } from './call-parameters.ts';
import type { Failover } from './failover-state.ts';

/**
 * Everything that the rules know of a call. Plain data that is replaced and never changed in place; records keyed by
 * names that users chose are Maps.
 */
export interface CallContext {
  /** Shared by all calls of a version. */
  readonly agent: AgentConfiguration;
  readonly facts: CallFacts;
  /** Index into `agent.states`. */
  readonly stateIndex: number;
  readonly answeredUs: number | null;
  /** Decided once: the first reason stands. */
  readonly endReason: EndReason | null;
  /**
   * The call itself has decided to end, once the reply that says so was heard. Nothing that becomes of a reply takes
   * that back: what the model asked for (`Reply.after`) can be.
   */
  readonly ending: EndReason | null;
  /** What made the call give up, in words for whoever runs the service. */
  readonly gaveUp: { readonly reason: EndReason; readonly detail: string } | null;
  readonly legGoneUs: number | null;
  /** The initial message: `owed` once its moment has come, it is then said as soon as the floor is free. */
  readonly greeting: 'due' | 'owed' | 'done';
  readonly answer: AnswerProgress;
  /** Since when nothing of ours leaves on the wire: the call is on hold, or its media is suspended. */
  readonly heldUs: number | null;
  /** Which of the two it is, or both. */
  readonly heldBy: readonly ('control' | 'media')[];
  /** The floor is free: nobody speaks, thinks or waits for a tool. */
  readonly quiet: boolean;
  readonly caller: CallerTurn;
  /** How long the call's latest finals took from the end of speech, in ms. */
  readonly finalLagsMs: readonly number[];
  readonly eager: EagerProgress;
  readonly reply: Reply | null;
  readonly interruption: Interruption | null;
  /** The reply that was cut last, until its cut is known to the sample. */
  readonly lastCut: Reply | null;
  /** The last segments of the reply before: a speakerphone's echo of them is told when they are over. */
  readonly lastSaid: readonly Segment[];
  readonly history: readonly HistoryItem[];
  /** What the history once held and no longer does. */
  readonly summary: SummaryProgress;
  readonly tools: readonly RunningTool[];
  /** How often the caller was told that functions still run. */
  readonly busySaid: number;
  /** Keys that are pressed once what is being said was heard, until they have sounded; each is a running tool. */
  readonly keys: readonly OrderedKeys[];
  /** Texts ordered by the API, waiting for the floor. */
  readonly sayings: readonly string[];
  /** What the API told the agent. */
  readonly notes: readonly string[];
  /** The entry that is being pressed, and those that are still to be answered. */
  readonly digits: { readonly pressed: PressedKeys | null; readonly entries: readonly PressedKeys[] };
  /** The model owes the caller an answer that nobody is waiting for: a tool's result, or a reply that noise cut off. */
  readonly owed: boolean;
  readonly variables: ReadonlyMap<string, VariableValue>;
  readonly variablesResolved: boolean;
  /** What texts named that had no value. */
  readonly missed: ReadonlySet<string>;
  readonly extraction: ExtractionProgress;
  readonly failover: Failover;
  readonly presence: { readonly asked: number; readonly pausedUntilUs: number };
  readonly numbers: Numbers;
  readonly tally: Tally;
}

/** Keys of the caller's that are one entry; from the first of them to the last. */
export interface PressedKeys {
  readonly keys: string;
  readonly startUs: number;
  readonly endUs: number;
}

/** Who or what answered a call that we placed, as far as it is known. */
export interface AnswerProgress {
  /** `off`: the call came in, or nothing is changed any more. */
  readonly watch: 'off' | 'judging' | 'settled';
  readonly type: AnswerType | null;
  /** One type that was known has become another: the second one stands. */
  readonly corrected: boolean;
  /** A machine talks and hears nobody: nothing is said over it until it is done. */
  readonly machine: 'none' | 'talks' | 'done';
  /** When the last beep ended. */
  readonly beepUs: number | null;
  /** Special information tones were heard. */
  readonly sit: boolean;
  /** The greeting of a machine was listened to, to its end. */
  readonly listened: boolean;
  /** Whoever screens the call was told what it is about. */
  readonly purposeTold: boolean;
}

export interface OrderedKeys {
  readonly toolCallId: string;
  readonly name: string;
  readonly digits: string;
  /** They are in the playout. */
  readonly pressed: boolean;
}

/** The numbers last given out; each rises by one. */
export interface Numbers {
  readonly utterance: number;
  readonly segment: number;
  readonly generation: number;
  readonly extraction: number;
  readonly summary: number;
  readonly sequence: number;
  readonly item: number;
  readonly turn: number;
}

/** What the caller has said since their last turn was taken. Times in ms of caller audio, unless in µs of engine time. */
export interface CallerTurn {
  /** Local voice activity. */
  readonly speaking: boolean;
  readonly startedUs: number | null;
  /** When speech was last known to have ended. */
  readonly endedUs: number | null;
  readonly finals: readonly string[];
  /** When the last word of the finals ended. */
  readonly finalEndedUs: number | null;
  readonly interim: { readonly text: string; readonly endMs: number } | null;
  /** The turn that goes on, from a transcriber that detects turns by itself; one that has ended is among `finals`. */
  readonly native: string | null;
  readonly endOfTurn: boolean;
  /** The turn is to be taken now. */
  readonly due: boolean;
  /** It is taken although the caller goes on: they have spoken longer than the agent lets them. */
  readonly cutShort: boolean;
  /** Words that began before this belong to a turn that was taken. */
  readonly takenUntilMs: number;
  /** How many words of a segment, or of a native turn, that is not final yet belong to a turn that was taken. */
  readonly takenWords: number;
  /** The transcriber has said its last word on what came before this. */
  readonly finalUntilMs: number;
  readonly line: OpenLine | null;
}

export interface OpenLine {
  readonly sequence: number;
  readonly startUs: number;
}

/** A turn of the caller that was taken: where the figures of the reply count from. */
export interface TakenTurn {
  readonly number: number;
  readonly speechEndedUs: number;
  readonly takenUs: number;
}

/** What the model is asked while the caller's turn is not over yet. */
export interface EagerProgress {
  /** One at a time; null where nothing is asked. */
  readonly running: EagerGeneration | null;
  /** The words that were asked last in this turn of the caller: the same are not asked twice. */
  readonly asked: string;
  /** Since the last hit. */
  readonly missesInRow: number;
}

/** A generation of which nothing is said, kept or run unless the caller's turn ends with its very words. */
export interface EagerGeneration {
  readonly number: number;
  readonly request: ModelRequest;
  /** The caller's words as they were asked; `asked` holds them normalised. */
  readonly text: string;
  readonly hasFirstToken: boolean;
  /** Held back from the voice. */
  readonly sentences: readonly string[];
  readonly done: boolean;
}

/** The agent's turn in progress: one utterance of the playout. */
export interface Reply {
  readonly utterance: number;
  readonly turn: TakenTurn | null;
  readonly interruptible: boolean;
  /** Model requests made for it. */
  readonly steps: number;
  /** The next request waits, for the machine to move or for tools to answer. */
  readonly asking: boolean;
  /** Calls that the model got wrong: the first is handed back, after the second it must answer in words. */
  readonly mistakes: number;
  readonly generation: Generation | null;
  readonly segments: readonly Segment[];
  readonly after: AfterReply;
  /** Of the first generation that said something. */
  readonly modelTimes: { readonly requestedUs: number; readonly firstTokenUs: number } | null;
  readonly measured: boolean;
  /** The history item of what was said because the model kept the caller waiting; once a reply. */
  readonly oneMoment: number | null;
}

/** A result of a call, where it stands in the transcript. */
export interface ResultLine {
  readonly call: { readonly id: string; readonly name: string };
  readonly sequence: number;
  readonly startUs: number;
}

export type AfterReply =
  | { readonly type: 'listen' }
  /** `result`: of the call that asked for the end; it is amended if the reply is cut before it. */
  | { readonly type: 'end'; readonly reason: EndReason; readonly result: ResultLine }
  | {
      readonly type: 'transfer';
      readonly toolCallId: string;
      readonly name: string;
      readonly order: TransferOrder;
      /** It was ordered of the leg. */
      readonly begun?: boolean;
    }
  /** The agent has given up: the caller is handed over to whom its settings name. */
  | { readonly type: 'rescue'; readonly order: TransferOrder };

export interface Generation {
  readonly number: number;
  /** The history item that its text goes to. */
  readonly item: number;
  readonly stateIndex: number;
  readonly requestedUs: number;
  readonly firstTokenUs: number | null;
  readonly calls: readonly ModelToolCall[];
  readonly said: boolean;
  /** Which model was asked: the key that `Failover.modelsOutUs` knows it by. */
  readonly model: string;
  /** That model has failed this request once. */
  readonly retry: boolean;
  /** It waits for the time at which the model may be asked again. */
  readonly waits: boolean;
}

export interface Segment {
  readonly number: number;
  readonly item: number;
  readonly text: string;
  readonly orderedUs: number;
  readonly voiceStartedUs: number | null;
  readonly durationMs: number | null;
  readonly words: readonly SpokenWord[];
  readonly wire: Wire | null;
  readonly ended: boolean;
}

/** A segment on the wire. */
export interface Wire {
  /** When its first sample left, as if it had played on since then without a pause. */
  readonly startedUs: number;
  /** What of the utterance had left before it. */
  readonly playedMs: number;
  /** Its last pause: what was played before `untilUs` left so much earlier than `startedUs` tells. */
  readonly paused?: { readonly untilUs: number; readonly forUs: number };
}

/** The caller makes a sound while the agent has the floor; the playout is held meanwhile. */
export interface Interruption {
  /** `undone`: the playout is to go on; `over`: it does. */
  readonly verdict: 'open' | 'confirmed' | 'undone' | 'over';
  readonly startedUs: number;
  readonly stoppedUs: number | null;
  /** Words of the caller that came before it and do not count. */
  readonly wordsBefore: number;
  /** What of the utterance had left on the wire when it was held, in ms. */
  readonly playedMs: number | null;
}

export type HistoryItem =
  | { readonly type: 'caller'; readonly id: number; readonly text: string }
  | {
      readonly type: 'agent';
      readonly id: number;
      /** What was generated. */
      readonly text: string;
      /** What was heard, once it is known to be less. */
      readonly heard: string | null;
      readonly calls: readonly ModelToolCall[];
      readonly line: OpenLine | null;
    }
  /** The one result of a call. */
  | { readonly type: 'result'; readonly id: number; readonly toolCallId: string; readonly content: string };

export type AgentItem = Extract<HistoryItem, { readonly type: 'agent' }>;

export interface RunningTool {
  readonly toolCallId: string;
  readonly name: string;
  readonly startedUs: number;
  /** The reply that asked for it, and the history item that holds its call. */
  readonly utterance: number;
  readonly item: number;
}

export interface VariableValue {
  readonly value: JsonValue;
  readonly atUs: number;
}

export interface ExtractionProgress {
  readonly running: number | null;
  /** What it was asked for, and when: the state, and what is known, may have changed since. */
  readonly asked: readonly Variable[];
  readonly askedUs: number;
  /** The last item of the history that it was asked about. */
  readonly through: number;
  /** The models that were asked for it, by key. */
  readonly models: readonly string[];
  /** The caller has said more since the running one was asked. */
  readonly stale: boolean;
  /** The last item of the history that an extraction has answered about, and the variables that one was asked for. */
  readonly readThrough: number;
  readonly read: ReadonlySet<string>;
}

export interface SummaryProgress {
  /** Of all turns that were summarised so far; null before the first. */
  readonly text: string | null;
  /** `covers`: how many of the dropped items it was asked about. */
  readonly running: { readonly number: number; readonly covers: number } | null;
  /** Items that left the history and stand in no summary yet. */
  readonly dropped: readonly HistoryItem[];
  /** The calls of tools that left the history: no later one takes an id of theirs. */
  readonly callIds: readonly string[];
}

/** What the call's figures are made of. */
export interface Tally {
  readonly interruptions: number;
  readonly falseInterruptions: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly voiceCharacters: number;
  /** Of each reply that answers the caller. */
  readonly measured: readonly TurnMetrics[];
  readonly eagerHits: number;
  readonly eagerMisses: number;
}
