/** Sums over the ended calls of an hour or a day in UTC, by the time of their creation. */
export interface CallRollupTable {
  organization_id: string;
  /** `hour` or `day`. */
  grain: string;
  start_ms: number;
  agent_id: string;
  direction: string;
  end_reason: string;
  /** Empty: the call was not answered, or the answer was not classified. */
  answer_type: string;
  calls: number;
  answered: number;
  duration_ms: number;
  cost: number;
  cost_telephony: number;
  cost_transcriber: number;
  cost_llm: number;
  cost_voice: number;
  turns: number;
  interruptions: number;
  false_interruptions: number;
  silences: number;
  silence_ms: number;
  tool_calls: number;
  tool_failures: number;
}

/** Usage and response times of a day in UTC, by agent and provider. */
export interface ProviderRollupTable {
  organization_id: string;
  /** A kind of provider, or `all`: each turn once. */
  kind: string;
  start_ms: number;
  agent_id: string;
  /** Empty for `all`. */
  provider: string;
  /** Empty without a model. */
  model: string;
  calls: number;
  audio_ms: number;
  input_tokens: number;
  cached_input_tokens: number;
  output_tokens: number;
  characters: number;
  /** In the currency of the price table. */
  cost: number;
  /** Turns by the bucket of their response time. */
  [bucket: `b${number}`]: number;
}
