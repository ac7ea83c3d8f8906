export interface RecordingOutcome {
  /** Null: there is no file. If `complete`, no recording was requested; otherwise it failed. */
  readonly path: string | null;
  /** False if a disk failure, a limit or the exit of a worker lost a part of the recording. */
  readonly complete: boolean;
  readonly durationMs: number;
}
