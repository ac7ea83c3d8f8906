/** The messages between the main thread and the recorder's worker. */
export type RecorderCommand =
  /** `resume`: the previous worker had started the recording. The memory contains its position. */
  | {
      readonly type: 'start';
      readonly id: number;
      readonly path: string;
      readonly memory: SharedArrayBuffer;
      readonly resume: boolean;
    }
  /** Write the rest and close the file. The worker replies with one `finished`. */
  | { readonly type: 'finish'; readonly id: number };

export type RecorderReport =
  /** Sent at most once per recording, at the first loss. */
  | { readonly type: 'incomplete'; readonly id: number; readonly reason: string }
  | {
      readonly type: 'finished';
      readonly id: number;
      /** False if the file could not be created, or nothing could be written to it. */
      readonly exists: boolean;
      readonly complete: boolean;
      readonly durationMs: number;
    };

export interface RecorderWorkerOptions {
  /** Free bytes on the disk below which recordings stop. */
  readonly lowWaterBytes: number;
}
