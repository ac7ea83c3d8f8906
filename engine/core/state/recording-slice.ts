import type { PauseRequester } from '../../ports/journal.ts';

/** Topic `recording`. */
export interface RecordingSlice {
  readonly recordingPause: {
    /** Who has requested a pause that still holds; null: no request. A state that pauses requests nothing. */
    readonly request: Exclude<PauseRequester, 'state'> | null;
    /** The entry of the pause in progress; null: everything is kept. */
    readonly entry: PauseEntry | null;
  };
  readonly consent: {
    readonly answer: 'not_asked' | 'given' | 'refused';
    /** The agent's item with the announcement; null: it was not requested. */
    readonly announcedBy: number | null;
    /** All segments of that item were played to their end. */
    readonly isHeard: boolean;
  };
}

export interface PauseEntry {
  readonly sequence: number;
  readonly startUs: number;
  readonly requestedBy: PauseRequester;
}

export const INITIAL_RECORDING: RecordingSlice = {
  recordingPause: { request: null, entry: null },
  consent: { answer: 'not_asked', announcedBy: null, isHeard: false },
};
