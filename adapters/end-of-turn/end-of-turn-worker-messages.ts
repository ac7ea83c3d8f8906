import type { AudioFormat } from '../../base/audio/audio-format.ts';

/** A pause to judge. */
export interface JudgeRequest {
  readonly id: number;
  readonly audio: Uint8Array;
  readonly format: AudioFormat;
}

export type JudgeAnswer =
  | { readonly type: 'ready' }
  | { readonly type: 'judged'; readonly id: number; readonly probability: number }
  | { readonly type: 'failed'; readonly id: number; readonly message: string };
