import type { TranscriptEntry } from '../ports/journal.ts';
import type { TurnRecord } from '../ports/turn-record.ts';
import type { CallSpan } from './call-span.ts';

/** The known data of a call, running or ended. All times have one origin, in µs. */
export interface TimelineInput {
  readonly spans: readonly CallSpan[];
  readonly turns: readonly TurnRecord[];
  readonly transcript: readonly InputEntry[];
  /** Null: it runs, or its end is not known. */
  readonly endedUs: number | null;
}

export type InputEntry = Pick<TranscriptEntry, 'role' | 'sequence' | 'startUs' | 'endUs'>;
