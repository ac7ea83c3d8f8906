import type { JsonValue } from '../agent/json-value.ts';
import type { TranscriberTraits } from '../ports/transcriber.ts';

/** How fast a model was in the calls before: the 99th percentile of request → first token, in ms. */
export interface ModelLatency {
  readonly provider: string;
  readonly model: string;
  readonly firstTokenP99Ms: number;
}

/** What is known of a call before its first event. Plain data; it stands at the head of the tape. */
export interface CallParameters {
  readonly callId: string;
  readonly agentId: string;
  readonly agentVersion: number;
  readonly direction: 'inbound' | 'outbound';
  readonly fromNumber: string | null;
  readonly toNumber: string | null;
  /** `dynamic_variables_values` as given. */
  readonly dynamicVariables: { readonly [name: string]: JsonValue };
  /** Wall clock at engine time 0, ms since 1970: what the rules need to tell the date. */
  readonly startedWallMs: number;
  readonly transcriberTraits: TranscriberTraits;
  /** Of the agent's `fallbacks.transcriber`, in their order; absent where there are none. */
  readonly fallbackTranscriberTraits?: readonly TranscriberTraits[];
  /** Of those of the agent's models of which it is known. */
  readonly modelLatencies?: readonly ModelLatency[];
  /** Of the agent's voice and its fallbacks, in their order: the 99th percentile of text → first audio; null: not known. */
  readonly voiceFirstAudioP99Ms?: readonly (number | null)[];
}
