import type { PauseRequester } from '../../ports/journal.ts';

/** Topic `recording`. */
export interface RecordingSlice {
  readonly recordingPause: {
    /** Who has requested a pause that still holds; null: no request. A state that pauses requests nothing. */
    readonly request: Exclude<PauseRequester, 'state'> | null;
    /** The entry of the pause in progress; null: everything is kept. */
    readonly entry: PauseEntry | null;
  };
}

export interface PauseEntry {
  readonly sequence: number;
  readonly startUs: number;
  readonly requestedBy: PauseRequester;
}

export const INITIAL_RECORDING: RecordingSlice = { recordingPause: { request: null, entry: null } };
