import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { KnowledgeResult, KnowledgeSearch } from '../../ports/knowledge.ts';
import type { ModelEvent, ModelRequest } from '../../ports/language-model.ts';
import type { ProviderError } from '../../ports/provider-error.ts';
import type { ToolResult, ToolRun } from '../../ports/tool-runner.ts';
import type { TranscriberEvent } from '../../ports/transcriber.ts';
import type { SpokenWord } from '../../ports/voice.ts';

/**
 * The recorded responses of each provider, in the order of the requests. Re-simulation and the tape adapters use them: the
 * n-th request of a kind gets the n-th response. A request that differs from the recorded one is reported as a difference,
 * and so is a request after the last recorded one.
 */
export interface RecordedResponses {
  /** Format of `caller.wav` and `voice.wav`. */
  readonly format: AudioFormat;
  readonly transcriber: readonly RecordedTranscription[];
  readonly models: readonly RecordedGeneration[];
  /** Requests with an `answerSchema`: extractions and summaries. */
  readonly extractions: readonly RecordedGeneration[];
  readonly voices: readonly RecordedSpeech[];
  readonly tools: readonly RecordedToolResult[];
  readonly searches: readonly RecordedSearch[];
  /** By the pause's position in the user's audio, in ms. */
  readonly endsOfTurn: ReadonlyMap<number, RecordedEndOfTurn>;
}

/** Emitted once `audioMs` of user audio were written to the stream. Its times count from the start of the stream. */
export interface RecordedTranscription {
  /** Index of the call's stream; absent: 0. */
  readonly stream?: number;
  readonly audioMs: number;
  readonly event: TranscriberEvent;
}

export interface RecordedGeneration {
  readonly request: ModelRequest;
  /** `delayMs` counts from the request. The tape has only whole sentences, so each text event is one sentence. */
  readonly events: readonly { readonly delayMs: number; readonly event: ModelEvent }[];
  /** The request was cancelled, or the call ended, after this time: the rest of the response is unknown. */
  readonly droppedAfterMs?: number;
}

export interface RecordedSpeech {
  readonly text: string;
  /** From `speak`, or from the end of the previous segment if that is later, to the first audio. */
  readonly delayMs: number;
  readonly durationMs: number;
  /** Start of the segment in `voice.wav`; null: it was cancelled, and `durationMs` is an estimate. */
  readonly offsetMs: number | null;
  readonly words?: readonly SpokenWord[];
  /** The segment failed after `durationMs`. */
  readonly error?: ProviderError;
}

export interface RecordedToolResult {
  readonly run: ToolRun;
  readonly delayMs: number;
  readonly result: ToolResult;
}

export interface RecordedSearch {
  readonly search: KnowledgeSearch;
  readonly delayMs: number;
  readonly result: KnowledgeResult;
}

/** The answer of the acoustic end-of-turn model at one pause. */
export interface RecordedEndOfTurn {
  readonly delayMs: number;
  readonly probability: number;
}
