import type { AudioFormat } from '../../../base/audio/audio-format.ts';
import type { KnowledgeResult, KnowledgeSearch } from '../../ports/knowledge.ts';
import type { ModelEvent, ModelRequest } from '../../ports/language-model.ts';
import type { ProviderError } from '../../ports/provider-error.ts';
import type { ToolResult, ToolRun } from '../../ports/tool-runner.ts';
import type { TranscriberEvent } from '../../ports/transcriber.ts';
import type { SpokenWord } from '../../ports/voice.ts';

/**
 * What each provider answered on a tape, in the order asked: what re-simulation and the tape adapters play. The n-th
 * request of a kind gets the n-th answer. A request that is not the recorded one is a difference and is told, never
 * answered in silence; so is a request past the end of the list.
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
}

/** In the order received. It is emitted once `audioMs` of user audio were written to the stream; its times are the stream's own. */
export interface RecordedTranscription {
  /** Which of the call's streams told it, from 0, where there were several: absent is the first. */
  readonly stream?: number;
  readonly audioMs: number;
  readonly event: TranscriberEvent;
}

export interface RecordedGeneration {
  readonly request: ModelRequest;
  /** `delayMs` counts from the request. Of a recorded text only its sentences are known: each arrives whole. */
  readonly events: readonly { readonly delayMs: number; readonly event: ModelEvent }[];
  /** The request was dropped, or the call ended, after so long: what the model would have said then is not known. */
  readonly droppedAfterMs?: number;
}

export interface RecordedSpeech {
  readonly text: string;
  /** From `speak` (or from the end of the segment before it, where that is later) to the first audio. */
  readonly delayMs: number;
  readonly durationMs: number;
  /** Where the segment begins in `voice.wav`; null: it was cancelled, and as long as its text would have taken. */
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
