import type { Clock } from '../../base/time/clock.ts';
import type { EngineNotice } from '../core/notice.ts';
import type { CallControl } from '../ports/call-control.ts';
import type { EndOfTurnModel } from '../ports/end-of-turn-model.ts';
import type { Journal } from '../ports/journal.ts';
import type { Knowledge } from '../ports/knowledge.ts';
import type { LanguageModel } from '../ports/language-model.ts';
import type { Media } from '../ports/media.ts';
import type { ToolRunner } from '../ports/tool-runner.ts';
import type { Transcriber } from '../ports/transcriber.ts';
import type { Voice } from '../ports/voice.ts';

/** The ports of one call. `transcriber`, `model` and `voice` find the adapter by the `provider` of each request. */
export interface CallPorts {
  readonly transcriber: Transcriber;
  readonly model: LanguageModel;
  readonly voice: Voice;
  readonly media: Media;
  readonly control: CallControl;
  readonly tools: ToolRunner;
  readonly knowledge: Knowledge;
  /** Absent: the service has none, and the rules decide. */
  readonly endOfTurnModel?: EndOfTurnModel | undefined;
  readonly journal: Journal;
  readonly clock: Clock;
  log(notice: EngineNotice): void;
}
