export interface RecordingOutcome {
  readonly path: string | null;
  /** False where a disk, a limit or the exit of a worker cost a part of it. */
  readonly complete: boolean;
  readonly durationMs: number;
}
