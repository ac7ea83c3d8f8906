export type ReasoningEffort = 'none' | 'minimal' | 'low';

/**
 * The least reasoning that a model of OpenAI takes, since a caller waits for the first word; undefined where the model
 * does not reason or takes no such order. `minimal` is known to GPT-5 alone, `none` from 5.1 to 5.6, where it is also what
 * lets functions be called through chat completions; from 6 on the least is `low`
 * (https://developers.openai.com/api/docs/guides/reasoning).
 */
export function leastReasoning(model: string): ReasoningEffort | undefined {
  if (!isReasoning(model) || /-pro\b/.test(model)) return undefined;
  if (/^gpt-5(-(mini|nano))?(-\d{4}-\d{2}-\d{2})?$/.test(model)) return 'minimal';
  return /^gpt-5\.\d/.test(model) && !/-codex\b/.test(model) ? 'none' : 'low';
}

/** Models that reason take no temperature other than their own, and refuse a request that names one. */
export function isReasoning(model: string): boolean {
  return /^(o\d|gpt-([5-9]|\d\d))/.test(model) && !/-chat\b/.test(model);
}

/** Models that refuse functions over chat completions, whatever their effort. */
export function asksForResponses(model: string): boolean {
  return /^gpt-([6-9]|\d\d)/.test(model);
}
