import type { AgentConfiguration, Variable } from '../agent/agent.ts';
import type { AnswerType } from '../ports/answer-type.ts';
import type { TransferRequest } from '../ports/call-control.ts';
import type { EndReason } from '../ports/end-reason.ts';
import type { TurnMetrics } from '../ports/journal.ts';
import type { JsonValue, ModelRequest, ModelToolCall } from '../ports/language-model.ts';
import type { SpokenWord } from '../ports/voice.ts';
import type { CallParameters } from './call-parameters.ts';
import type { FailoverState } from './failover-state.ts';

/**
 * Everything that the rules know of a call. Plain data that is replaced and never changed in place; records keyed by
 * names that users chose are Maps.
 */
export interface CallContext {
  /** Shared by all calls of a version. */
  readonly agent: AgentConfiguration;
  readonly parameters: CallParameters;
  /** Index into `agent.states`. */
  readonly stateIndex: number;
  readonly answeredUs: number | null;
  /** Decided once: the first reason stands. */
  readonly endReason: EndReason | null;
  /**
   * The call itself has decided to end, once the reply that says so was heard. Nothing that becomes of a reply takes
   * that back: what the model asked for (`Reply.after`) can be.
   */
  readonly decidedEnd: EndReason | null;
  /** What made the call give up, in words for whoever runs the service. */
  readonly failure: { readonly reason: EndReason; readonly detail: string } | null;
  readonly legEndedUs: number | null;
  /** The initial message: `owed` once its moment has come, it is then said as soon as the floor is free. */
  readonly greeting: 'scheduled' | 'pending' | 'done';
  readonly answeringMachine: AnsweringMachineState;
  /** Since when nothing of ours leaves on the wire: the call is on hold, or its media is suspended. */
  readonly onHoldSinceUs: number | null;
  /** Which of the two it is, or both. */
  readonly heldBy: readonly ('control' | 'media')[];
  /** The floor is free: nobody speaks, thinks or waits for a tool. */
  readonly idle: boolean;
  readonly userTurn: UserTurn;
  /** How long the call's latest finals took from the end of speech, in ms. */
  readonly finalLatenciesMs: readonly number[];
  readonly eager: EagerState;
  readonly reply: Reply | null;
  readonly interruption: Interruption | null;
  /** The reply that was cut last, until its cut is known to the sample. */
  readonly lastDroppedReply: Reply | null;
  /** The last segments of the reply before: a speakerphone's echo of them is told when they are over. */
  readonly lastPlayedSegments: readonly Segment[];
  readonly history: readonly HistoryItem[];
  /** What the history once held and no longer does. */
  readonly summary: SummaryState;
  readonly runningTools: readonly RunningTool[];
  /** How often the caller was told that functions still run. */
  readonly toolFillersSaid: number;
  /** Keys that are pressed once what is being said was heard, until they have sounded; each is a running tool. */
  readonly outgoingDtmf: readonly OutgoingDtmf[];
  /** Texts ordered by the API, waiting for the floor. */
  readonly queuedSpeech: readonly string[];
  /** What the API told the agent. */
  readonly notes: readonly string[];
  /** The entry that is being pressed, and those that are still to be answered. */
  readonly dtmf: { readonly openEntry: DtmfEntry | null; readonly entries: readonly DtmfEntry[] };
  /** The model owes the caller an answer that nobody is waiting for: a tool's result, or a reply that noise cut off. */
  readonly pendingResponse: boolean;
  readonly variables: ReadonlyMap<string, VariableValue>;
  readonly variablesResolved: boolean;
  /** What texts named that had no value. */
  readonly missingVariables: ReadonlySet<string>;
  readonly extraction: ExtractionState;
  readonly failover: FailoverState;
  readonly presence: { readonly checks: number; readonly pausedUntilUs: number };
  readonly counters: Counters;
  readonly metrics: MetricsState;
}

/** Keys of the caller's that are one entry; from the first of them to the last. */
export interface DtmfEntry {
  readonly digits: string;
  readonly startUs: number;
  readonly endUs: number;
}

/** Who or what answered a call that we placed, as far as it is known. */
export interface AnsweringMachineState {
  /** `off`: the call came in, or nothing is changed any more. */
  readonly detection: 'off' | 'deciding' | 'decided';
  readonly type: AnswerType | null;
  /** One type that was known has become another: the second one stands. */
  readonly corrected: boolean;
  /** A machine talks and hears nobody: nothing is said over it until it is done. */
  readonly speech: 'none' | 'speaking' | 'finished';
  /** When the last beep ended. */
  readonly beepUs: number | null;
  /** Special information tones were heard. */
  readonly sitHeard: boolean;
  /** The greeting of a machine was listened to, to its end. */
  readonly greetingHeard: boolean;
  /** Whoever screens the call was told what it is about. */
  readonly purposeSaid: boolean;
}

export interface OutgoingDtmf {
  readonly toolCallId: string;
  readonly name: string;
  readonly digits: string;
  /** They are in the playout. */
  readonly sent: boolean;
}

/** The numbers last given out; each rises by one. */
export interface Counters {
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
export interface UserTurn {
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
  readonly providerTurn: string | null;
  readonly endOfTurn: boolean;
  /** The turn is to be taken now. */
  readonly complete: boolean;
  /** It is taken although the caller goes on: they have spoken longer than the agent lets them. */
  readonly overMonologueLimit: boolean;
  /** Words that began before this belong to a turn that was taken. */
  readonly committedUntilMs: number;
  /** How many words of a segment, or of a native turn, that is not final yet belong to a turn that was taken. */
  readonly committedWords: number;
  /** The transcriber has said its last word on what came before this. */
  readonly finalUntilMs: number;
  readonly entry: OpenEntry | null;
}

export interface OpenEntry {
  readonly sequence: number;
  readonly startUs: number;
}

/** A turn of the caller that was taken: where the figures of the reply count from. */
export interface CommittedTurn {
  readonly number: number;
  readonly speechEndedUs: number;
  readonly committedUs: number;
}

/** What the model is asked while the caller's turn is not over yet. */
export interface EagerState {
  /** One at a time; null where nothing is asked. */
  readonly running: EagerGeneration | null;
  /** The words that were asked last in this turn of the caller: the same are not asked twice. */
  readonly askedWords: string;
  /** Since the last hit. */
  readonly consecutiveMisses: number;
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
  readonly turn: CommittedTurn | null;
  readonly interruptible: boolean;
  /** Model requests made for it. */
  readonly steps: number;
  /** The next request waits, for the machine to move or for tools to answer. */
  readonly requestPending: boolean;
  /** Calls that the model got wrong: the first is handed back, after the second it must answer in words. */
  readonly invalidCalls: number;
  readonly generation: Generation | null;
  readonly segments: readonly Segment[];
  readonly followUp: FollowUp;
  /** Of the first generation that said something. */
  readonly modelTimes: { readonly requestedUs: number; readonly firstTokenUs: number } | null;
  readonly measured: boolean;
  /** The history item of what was said because the model kept the caller waiting; once a reply. */
  readonly thinkingFillerItem: number | null;
}

/** A result of a call, where it stands in the transcript. */
export interface ToolResultEntry {
  readonly call: { readonly id: string; readonly name: string };
  readonly sequence: number;
  readonly startUs: number;
}

export type FollowUp =
  | { readonly type: 'listen' }
  /** `result`: of the call that asked for the end; it is amended if the reply is cut before it. */
  | { readonly type: 'end'; readonly reason: EndReason; readonly result: ToolResultEntry }
  | {
      readonly type: 'transfer';
      readonly toolCallId: string;
      readonly name: string;
      readonly order: TransferRequest;
      /** It was ordered of the leg. */
      readonly started?: boolean;
    }
  /** The agent has given up: the caller is handed over to whom its settings name. */
  | { readonly type: 'failure_transfer'; readonly order: TransferRequest };

export interface Generation {
  readonly number: number;
  /** The history item that its text goes to. */
  readonly item: number;
  readonly stateIndex: number;
  readonly requestedUs: number;
  readonly firstTokenUs: number | null;
  readonly calls: readonly ModelToolCall[];
  readonly spoke: boolean;
  /** Which model was asked: the key that `Failover.modelsOpenedUs` knows it by. */
  readonly model: string;
  /** That model has failed this request once. */
  readonly retry: boolean;
  /** It waits for the time at which the model may be asked again. */
  readonly backingOff: boolean;
}

export interface Segment {
  readonly number: number;
  readonly item: number;
  readonly text: string;
  readonly requestedUs: number;
  readonly voiceStartedUs: number | null;
  readonly durationMs: number | null;
  readonly words: readonly SpokenWord[];
  readonly playout: SegmentPlayout | null;
  readonly ended: boolean;
}

/** A segment on the wire. */
export interface SegmentPlayout {
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
  readonly status: 'tentative' | 'confirmed' | 'rejected' | 'resumed';
  readonly startedUs: number;
  readonly stoppedUs: number | null;
  /** Words of the caller that came before it and do not count. */
  readonly wordsBefore: number;
  /** What of the utterance had left on the wire when it was held, in ms. */
  readonly playedMs: number | null;
}

export type HistoryItem =
  | { readonly type: 'user'; readonly id: number; readonly text: string }
  | {
      readonly type: 'agent';
      readonly id: number;
      /** What was generated. */
      readonly text: string;
      /** What was heard, once it is known to be less. */
      readonly playedText: string | null;
      readonly calls: readonly ModelToolCall[];
      readonly entry: OpenEntry | null;
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

export interface ExtractionState {
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

export interface SummaryState {
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
export interface MetricsState {
  readonly interruptions: number;
  readonly falseInterruptions: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly voiceCharacters: number;
  /** Of each reply that answers the caller. */
  readonly turns: readonly TurnMetrics[];
  readonly eagerHits: number;
  readonly eagerMisses: number;
}
