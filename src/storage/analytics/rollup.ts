import type { BucketColumn } from './response-histogram.ts';

/** Sums of a rollup of calls. Durations in ms, costs in the currency of the price table. */
export const CALL_SUMS = [
  'calls',
  'answered',
  'duration_ms',
  'cost',
  'cost_telephony',
  'cost_transcriber',
  'cost_llm',
  'cost_voice',
  'turns',
  'interruptions',
  'false_interruptions',
  'silences',
  'silence_ms',
  'tool_calls',
  'tool_failures',
] as const;

export type CallSums = { readonly [Name in (typeof CALL_SUMS)[number]]: number };

/** The common properties of the calls of a rollup; an empty text for none. */
export interface CallDimensions {
  readonly agent_id: string;
  readonly direction: string;
  readonly end_reason: string;
  readonly answer_type: string;
}

/** The kinds of providers; `all` counts each turn of a call once, whatever its providers. */
export const PROVIDER_KINDS = ['all', 'transcriber', 'llm', 'voice'] as const;
export type RollupKind = (typeof PROVIDER_KINDS)[number];

/** Sums of the usage of a provider and model, and of its cost. */
export const USAGE_SUMS = [
  'calls',
  'audio_ms',
  'input_tokens',
  'cached_input_tokens',
  'output_tokens',
  'characters',
  'cost',
] as const;

export type UsageSums = { readonly [Name in (typeof USAGE_SUMS)[number]]: number };

export interface ProviderUse {
  readonly kind: RollupKind;
  /** Empty for the kind `all`. */
  readonly provider: string;
  /** Empty without a model. */
  readonly model: string;
  readonly sums: UsageSums;
  /** Counts of response times by bucket; absent buckets are 0. */
  readonly buckets: ReadonlyMap<BucketColumn, number>;
}

/** The sums that one ended call adds to the rollups. */
export interface CallRollup {
  readonly callId: string;
  readonly organizationId: string;
  /** The creation of the call: its hour and day in UTC count it. */
  readonly createdMs: number;
  readonly dimensions: CallDimensions;
  readonly sums: CallSums;
  readonly providers: readonly ProviderUse[];
}
