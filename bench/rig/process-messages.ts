import type { ServerStatistics } from '../../sip/server/server-statistics.ts';
import type { Load } from './load-meter.ts';

// What the processes of a bench tell each other. All times are `monotonicMs`.

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
  /** Of the process, all threads. */
  readonly residentMb: number;
  /** Of the main thread, when the collector has just run. */
  readonly heapMb: number;
  readonly sip: ServerStatistics | null;
}

export interface ServiceLoad extends Load {
  /** Writes of the bench that were on the disk in the window, a second. */
  readonly writesPerSecond: number;
  /** From the order to the disk, 99th percentile. */
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

/** One turn as the providers saw it; NaN where it did not come to that. */
export interface ProviderTurn {
  readonly call: number;
  readonly turn: number;
  /** The whole of the caller's last frame had come. */
  speechReceivedMs: number;
  /** The first words of the turn were handed to the socket. */
  wordsMs: number;
  /** The final that ends the turn was handed to the socket. */
  finalMs: number;
  /** The whole of the model request had come. */
  modelRequestMs: number;
  /** What makes the first sentence (or a call with its filler) certain was handed to the socket. */
  sentenceMs: number;
  /** The order to speak it had come. */
  voiceRequestMs: number;
  /** Its first audio was handed to the socket. */
  audioMs: number;
}

export type CallersCommand =
  | { readonly type: 'dial'; readonly call: number; readonly callId: string; readonly sipPort: number }
  /** Everybody has heard the greeting: the conversations begin, each within `spreadMs`. */
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
  /** Of the agents' packets, from `go` on: distance of each arrival from its stream's own grid. */
  readonly pacing: { readonly p50: number; readonly p99: number; readonly max: number };
  readonly received: number;
  readonly missing: number;
  /** How late a packet of the callers left at worst. */
  readonly sendLatenessMaxMs: number;
}

/** One turn as the caller saw it. */
export interface CallerTurn {
  readonly call: number;
  readonly turn: number;
  /** The frame that holds the line's last sample was handed to the socket. */
  speechSentMs: number;
  /** The packet with the answer's first sample had come. */
  responseMs: number;
  /** The last packet with speech before that had come. */
  lastSpeechMs: number;
}
