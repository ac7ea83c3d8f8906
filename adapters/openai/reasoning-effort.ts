export type ReasoningEffort = 'none' | 'minimal' | 'low';

/**
 * The least reasoning effort of an OpenAI model, because a user waits for the first word. Undefined if the model does
 * not reason or accepts no effort. Only GPT-5 accepts `minimal`. Versions 5.1 to 5.6 accept `none`, which also
 * enables functions over chat completions. From 6 on the least is `low`
 * (https://developers.openai.com/api/docs/guides/reasoning).
 */
export function leastReasoning(model: string): ReasoningEffort | undefined {
  if (!isReasoning(model) || /-pro\b/.test(model)) return undefined;
  if (/^gpt-5(-(mini|nano))?(-\d{4}-\d{2}-\d{2})?$/.test(model)) return 'minimal';
  return /^gpt-5\.\d/.test(model) && !/-codex\b/.test(model) ? 'none' : 'low';
}

/** Reasoning models have a fixed temperature, and refuse a request that names one. */
export function isReasoning(model: string): boolean {
  return /^(o\d|gpt-([5-9]|\d\d))/.test(model) && !/-chat\b/.test(model);
}

/** Models that refuse functions over chat completions at any effort. */
export function asksForResponses(model: string): boolean {
  return /^gpt-([6-9]|\d\d)/.test(model);
}
