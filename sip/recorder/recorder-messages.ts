/** What the main thread and the recorder's worker tell each other. */
export type RecorderCommand =
  /** `resume`: the worker before this one had begun it; the memory says how far. */
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
  /** Told at most once a recording, as it happens. */
  | { readonly type: 'incomplete'; readonly id: number; readonly reason: string }
  | {
      readonly type: 'finished';
      readonly id: number;
      /** False where not even an empty file could be made. */
      readonly exists: boolean;
      readonly complete: boolean;
      readonly durationMs: number;
    };

export interface RecorderWorkerOptions {
  /** Free bytes on the disk below which recordings stop. */
  readonly lowWaterBytes: number;
}
