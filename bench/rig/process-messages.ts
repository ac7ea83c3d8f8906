import type { ServerStatistics } from '../../sip/server/server-statistics.ts';
import type { Load } from './load-meter.ts';

// The messages between the processes of a benchmark. All times are `monotonicMs`.

export type ServiceCommand =
  | { readonly type: 'open'; readonly journalCallId: string | null }
  | { readonly type: 'memory' }
  | { readonly type: 'close' };

export type ServiceNotice =
  | { readonly type: 'started'; readonly httpUrl: string; readonly sipPort: number }
  | { readonly type: 'opened' }
  | ({ readonly type: 'memory' } & ServiceMemory)
  | ({ readonly type: 'closed' } & ServiceLoad);

export interface ServiceMemory {
  /** Resident memory of the process with all threads. */
  readonly residentMb: number;
  /** Heap of the main thread, directly after a collection. */
  readonly heapMb: number;
  readonly sip: ServerStatistics | null;
}

export interface ServiceLoad extends Load {
  /** Additional writes per second that were on the disk in the window. */
  readonly writesPerSecond: number;
  /** From the request to the disk, 99th percentile. */
  readonly writeP99Ms: number;
}

export type ProvidersCommand = { readonly type: 'open' } | { readonly type: 'close' };

export type ProvidersNotice =
  | { readonly type: 'started'; readonly environment: Record<string, string>; readonly functionUrl: string }
  | { readonly type: 'opened' }
  | {
      readonly type: 'closed';
      readonly load: Load;
      readonly turns: readonly ProviderTurn[];
      readonly faults: readonly string[];
    };

/** The times of one turn at the providers; NaN for a step that did not happen. */
export interface ProviderTurn {
  readonly call: number;
  readonly turn: number;
  /** The caller's last frame was received completely. */
  speechReceivedMs: number;
  /** The first words of the turn were written to the socket. */
  wordsMs: number;
  /** The final that ends the turn was written to the socket. */
  finalMs: number;
  /** The model request was received completely. */
  modelRequestMs: number;
  /** The token that completes the first sentence, or the tool call with a filler, was written to the socket. */
  sentenceMs: number;
  /** The request to speak the first sentence was received. */
  voiceRequestMs: number;
  /** The first audio of that sentence was written to the socket. */
  audioMs: number;
}

export type CallersCommand =
  | {
      readonly type: 'dial';
      readonly call: number;
      readonly callId: string;
      readonly sipPort: number;
      /** The caller does not wait for `go`. */
      readonly speaksAtOnce?: true;
    }
  /** Every caller has heard the greeting: the conversations begin, each within `spreadMs`. */
  | { readonly type: 'go'; readonly spreadMs: number }
  | { readonly type: 'report' };

export type CallersNotice =
  | { readonly type: 'started' }
  | { readonly type: 'greeted'; readonly call: number }
  | { readonly type: 'ended'; readonly call: number; readonly fault: string | null }
  | ({ readonly type: 'report' } & CallersReport);

export interface CallersReport {
  readonly load: Load;
  readonly turns: readonly CallerTurn[];
  /** Distance of the agents' packets from the grid of their stream, from `go` on, ms. */
  readonly pacing: { readonly p50: number; readonly p99: number; readonly max: number };
  readonly received: number;
  readonly missing: number;
  /** Largest delay of a caller's packet against its due time, ms. */
  readonly sendLatenessMsMax: number;
}

/** The times of one turn at the caller. */
export interface CallerTurn {
  readonly call: number;
  readonly turn: number;
  /** The frame with the last sample of the caller's speech was written to the socket. */
  speechSentMs: number;
  /** The packet with the first sample of the response was received. */
  responseMs: number;
  /** The last packet with speech before `responseMs` was received. */
  lastSpeechMs: number;
}
