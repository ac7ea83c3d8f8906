import type { JsonValue } from '../../agent/json-value.ts';
import type { TranscriberTraits } from '../../ports/transcriber.ts';

/** Latency of a model in earlier calls. `firstTokenP99Ms`: 99th percentile of the time to its first token. */
export interface ModelLatency {
  readonly provider: string;
  readonly model: string;
  readonly firstTokenP99Ms: number;
}

/** The values that are fixed when a call begins. Plain data; the header of the tape contains them. */
export interface CallParameters {
  readonly callId: string;
  readonly agentId: string;
  readonly agentVersion: number;
  readonly direction: 'inbound' | 'outbound';
  readonly fromNumber: string | null;
  readonly toNumber: string | null;
  /** `dynamic_variables_values` of the API request or the lookup webhook, unchanged, and values of INVITE headers. */
  readonly dynamicVariables: { readonly [name: string]: JsonValue };
  /**
   * Names of those variables that come from INVITE headers: the user's side wrote them, so they must not choose a
   * transfer destination. Absent: none.
   */
  readonly untrustedVariables?: readonly string[];
  /** Wall clock at engine time 0, in ms since 1970. The rules derive the date from it. */
  readonly startedWallMs: number;
  /** No trunk lists the source of the call, and it may be forged: transcriber and voice are opened with the answer, not before it. */
  readonly isSourceUntrusted?: true;
  readonly transcriberTraits: TranscriberTraits;
  /** Traits of the agent's `fallbacks.transcriber`, in the same order; absent without fallbacks. */
  readonly fallbackTranscriberTraits?: readonly TranscriberTraits[];
  /** The service has an acoustic end-of-turn model. */
  readonly hasEndOfTurnModel?: true;
  /** Latencies of the agent's models, as far as they are known. */
  readonly modelLatencies?: readonly ModelLatency[];
  /** 99th percentile of text → first audio, for the agent's voice and then its fallbacks; null: unknown. */
  readonly voiceFirstAudioP99Ms?: readonly (number | null)[];
}
