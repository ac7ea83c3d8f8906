export interface RecordingOutcome {
  /** Null without a file: nothing was to be recorded, or, if not `complete`, nothing could be. */
  readonly path: string | null;
  /** False if a disk failure, a limit or the exit of a worker lost a part of the recording. */
  readonly complete: boolean;
  readonly durationMs: number;
}
