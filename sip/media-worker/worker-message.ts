import type { AudioFormat } from '../../engine/ports/audio-format.ts';
import type { MediaEvent } from '../../engine/ports/media.ts';
import type { RtpSession } from '../rtp/rtp-session.ts';

/**
 * What the main thread and a media worker tell each other: orders and events of a call, never a packet. Each names the
 * slot and its generation; what comes for an earlier generation is not heard.
 */
export interface CallKey {
  readonly slot: number;
  readonly generation: number;
}

/** What a call's peer hears: its agent, a ringing tone, or the peer of another call of the same worker. */
export type HearSource = 'agent' | 'ringback' | CallKey;

export type WorkerOrder = CallKey &
  (
    | ({ readonly type: 'open' } & OpenOrder)
    | { readonly type: 'configure'; readonly session: RtpSession }
    | { readonly type: 'clear'; readonly utterance: number }
    | { readonly type: 'pause' }
    | { readonly type: 'dtmf'; readonly digits: string }
    | { readonly type: 'tones'; readonly on: boolean }
    | { readonly type: 'hear'; readonly source: HearSource }
    | { readonly type: 'close' }
  );

export interface OpenOrder {
  readonly memory: SharedArrayBuffer;
  readonly port: number;
  /** What the call's listeners are given. */
  readonly format: AudioFormat;
  readonly mediaTimeoutMs: number;
  readonly recording: SharedArrayBuffer | null;
  /** How long the call was without a worker, in ms: silence on its recording. 0 for a new call. */
  readonly absentMs: number;
}

export type WorkerNotice =
  /** The worker has loaded and takes orders. */
  | { readonly type: 'ready' }
  | (CallKey &
      (
        | { readonly type: 'opened' }
        | { readonly type: 'open_failed'; readonly code: string }
        | { readonly type: 'event'; readonly event: MediaEvent }
        /** The call's ports and memory are free. */
        | { readonly type: 'closed' }
      ));

export interface MediaWorkerOptions {
  readonly bindAddress: string;
  readonly slots: number;
  readonly doorbell: SharedArrayBuffer;
  readonly statistics: SharedArrayBuffer;
}
