import type { TransferRequest } from '../ports/call-control.ts';
import type { JournalEntry } from '../ports/journal.ts';
import type { KnowledgeSearch } from '../ports/knowledge.ts';
import type { ModelRequest } from '../ports/language-model.ts';
import type { ToolRun } from '../ports/tool-runner.ts';
import type { TranscriberChange, TranscriberOptions } from '../ports/transcriber.ts';
import type { VoiceOptions } from '../ports/voice.ts';
import type { EngineNotice } from './notice.ts';
import type { TimerName } from './timer.ts';

/**
 * Everything that the rules can request. Plain data: replay compares commands in order, except `log`. The call runner executes them
 * through the ports; results return as events.
 */
export type CallCommand =
  | { readonly type: 'call.answer' }
  | { readonly type: 'call.hang_up' }
  | { readonly type: 'call.transfer'; readonly request: TransferRequest }
  /**
   * Replaces the previous stream. `fromMs`: the position in the user's audio at which the new stream starts. The call
   * runner adds the audio format of the call.
   */
  | {
      readonly type: 'transcriber.open';
      readonly options: Omit<TranscriberOptions, 'format'>;
      readonly fromMs: number;
    }
  | { readonly type: 'transcriber.finalize' }
  /** Only for a transcriber whose trait `configurable` is set. */
  | { readonly type: 'transcriber.configure'; readonly change: TranscriberChange }
  | { readonly type: 'transcriber.close' }
  /** Answered by `model.*` events of that generation. */
  | { readonly type: 'model.request'; readonly generation: number; readonly request: ModelRequest }
  | { readonly type: 'model.cancel'; readonly generation: number }
  | { readonly type: 'extraction.request'; readonly extraction: number; readonly request: ModelRequest }
  | { readonly type: 'extraction.cancel'; readonly extraction: number }
  /** Answered by one `summary.done` or `summary.failed`. */
  | { readonly type: 'summary.request'; readonly summary: number; readonly request: ModelRequest }
  | { readonly type: 'summary.cancel'; readonly summary: number }
  /** Replaces the previous stream. The call runner adds format and phrases. */
  | { readonly type: 'voice.open'; readonly options: Omit<VoiceOptions, 'format' | 'phrases'> }
  /**
   * The audio goes directly to the playout, as this segment of this utterance. If the segment may be interrupted, the call
   * runner marks it as duckable.
   */
  | { readonly type: 'voice.speak'; readonly utterance: number; readonly segment: number; readonly text: string }
  /** Drops the segments from this number on. Audio that has reached the playout needs `playout.clear`. */
  | { readonly type: 'voice.cancel'; readonly from: number }
  | { readonly type: 'voice.close' }
  | { readonly type: 'playout.clear'; readonly utterance: number }
  | { readonly type: 'playout.pause' }
  | { readonly type: 'playout.resume' }
  | { readonly type: 'playout.dtmf'; readonly digits: string }
  | { readonly type: 'tones.listen'; readonly on: boolean }
  | { readonly type: 'tool.run'; readonly toolCallId: string; readonly run: ToolRun }
  /** Answered by `end_of_turn.judged`, or not at all. `atMs`: the end of the user's speech, in their audio. */
  | { readonly type: 'end_of_turn.judge'; readonly atMs: number }
  /** Answered by `knowledge.result`. */
  | { readonly type: 'knowledge.search'; readonly toolCallId: string; readonly search: KnowledgeSearch }
  /** One timer for each name: a second start replaces the first. */
  | { readonly type: 'timer.start'; readonly timer: TimerName; readonly delayMs: number }
  | { readonly type: 'timer.stop'; readonly timer: TimerName }
  | { readonly type: 'journal.write'; readonly entry: JournalEntry }
  /** Has no effect on the call. Replay does not compare it. */
  | { readonly type: 'log'; readonly notice: EngineNotice }
  /** The last command of every call: the call runner releases every port. */
  | { readonly type: 'call.close' };
