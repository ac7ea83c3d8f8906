/** The messages between the main thread and the recorder's worker. */
export type RecorderCommand =
  /** `resume`: the previous worker had begun it; the memory holds its position. */
  | {
      readonly type: 'start';
      readonly id: number;
      readonly path: string;
      readonly memory: SharedArrayBuffer;
      readonly resume: boolean;
    }
  /** Write the rest and close; answered by one `finished`. */
  | { readonly type: 'finish'; readonly id: number };

export type RecorderReport =
  /** At most once per recording, as it happens. */
  | { readonly type: 'incomplete'; readonly id: number; readonly reason: string }
  | {
      readonly type: 'finished';
      readonly id: number;
      /** False where the file could not be created. */
      readonly exists: boolean;
      readonly complete: boolean;
      readonly durationMs: number;
    };

export interface RecorderWorkerOptions {
  /** Free bytes on the disk below which recordings stop. */
  readonly lowWaterBytes: number;
}
