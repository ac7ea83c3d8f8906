import type { JsonValue } from '../../../engine/agent/json-value.ts';
import type { CallParameters } from '../../../engine/core/state/call-parameters.ts';
import type { KnowledgeResult } from '../../../engine/ports/knowledge.ts';
import type { ProviderErrorCode } from '../../../engine/ports/provider-error.ts';
import type { ToolResult } from '../../../engine/ports/tool-runner.ts';
import type { AgentOverrides } from './agent-with.ts';

/** A call's agent and its scripted providers. Times are seconds, except in fields that end in `Ms`. */
export interface Scenario {
  readonly agent: AgentOverrides;
  readonly parameters?: Partial<CallParameters>;
  /** The responses to conversation requests, in order. Later requests get «Yes.». */
  readonly model?: readonly ModelResponse[];
  /** The values that each variable extraction finds, in order. Later extractions find none. */
  readonly extractions?: readonly JsonValue[];
  /** When an extraction answers after its request, in ms. 300, if left out. */
  readonly extractionMs?: number;
  /** How many extractions fail, counted from the first one. */
  readonly failedExtractions?: number;
  /** The text of each history summary, in order. `fails` is a failure; `null` and later requests get no response. */
  readonly summaries?: readonly (string | null)[];
  /** By function name. Other tools succeed with `{}` after 0.1 s. */
  readonly tools?: Readonly<Record<string, { readonly after: number; readonly result: Partial<ToolResult> }>>;
  /** The result of every knowledge search; no passages, if left out. */
  readonly knowledge?: { readonly after: number; readonly result: KnowledgeResult | 'throws' };
  /** The answer of the acoustic end-of-turn model at every pause. Null: it never answers. Without it there is no model. */
  readonly endOfTurnModel?: { readonly after: number; readonly probability: number | null };
  /** The outcome of every transfer; none, if left out. */
  readonly transfer?: { readonly after: number; readonly succeeds: boolean };
  /** The transcriber's streams, in order. Of the others, the first one reports nothing and the rest become ready. */
  readonly transcriberStreams?: readonly TranscriberStreamScript[];
  readonly voice?: VoiceScript;
  /** By the voice's name, in place of `voice`. */
  readonly voicesByName?: Readonly<Record<string, VoiceScript>>;
}

/** Times are counted from the request. */
export interface ModelResponse {
  /** When the text, the tool calls and the end of the response come. */
  readonly after?: number;
  /** When the first character of the text comes, if before the rest. */
  readonly firstTokenAfter?: number;
  readonly text?: string;
  readonly toolCalls?: readonly {
    readonly name: string;
    readonly arguments?: JsonValue | string;
    readonly id?: string;
  }[];
  readonly failsWith?: {
    readonly retryable: boolean;
    readonly retryAfterMs?: number;
    readonly code?: ProviderErrorCode;
  };
  /** The response never ends, and without a text it never begins. */
  readonly stalls?: boolean;
}

export interface TranscriberStreamScript {
  readonly readyAfter?: number;
  readonly neverReady?: boolean;
  /** The stream fails at `readyAfter`. */
  readonly failsWith?: { readonly retryable: boolean };
}

export interface VoiceScript {
  /** From a segment's request to its first audio. */
  readonly after?: number;
  /** Duration of each character's audio. */
  readonly characterMs?: number;
  /** `always`: each segment fails. `once`: the segments that are pending at the first audio fail together. */
  readonly fails?: 'always' | 'once';
  /** Every segment fails until this time of the call. */
  readonly failsUntil?: number;
  /** No segment ever gets audio. */
  readonly stalls?: boolean;
  /** The voice fails at this place of its n-th text (from 0), with all later texts that it has been given. */
  readonly failsAt?: readonly {
    readonly textIndex: number;
    readonly afterMs: number;
    /** True, if left out. */
    readonly retryable?: boolean;
    /** `unavailable`, if left out. */
    readonly code?: ProviderErrorCode;
  }[];
  /** The n-th texts (from 0) end without a sample of audio. */
  readonly textsWithoutAudio?: readonly number[];
  /** Word times, reported before the audio. `uneven`: {@link unevenWordTimes}. None, if left out. */
  readonly wordTimes?: 'even' | 'uneven';
  /** Other texts fail for good, as with a phrase cache in front of a voice that is unavailable. */
  readonly onlyTexts?: readonly string[];
}
