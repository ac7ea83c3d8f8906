/** The request options that minimise the time to the first word. */
export interface MessageModelTraits {
  /** Absent: the model's default, for unknown models. */
  readonly thinking?: { readonly type: 'disabled' | 'between_tools' };
  /** For models that always think. */
  readonly effort?: 'low';
}

/**
 * Options by the model's name, from the provider's table
 * (https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting). Up to 4.6 a model thinks only on
 * request. Later models think by default. The option that limits thinking depends on the model, which rejects the others.
 */
export function messageModelTraits(model: string): MessageModelTraits {
  if (/^claude-(opus-5-5|(fable|mythos)-5)/.test(model)) return { effort: 'low' };
  if (/^claude-sonnet-5-5/.test(model)) return { thinking: { type: 'between_tools' } };
  const canBeDisabled = /^claude-(haiku-5-5|(opus|sonnet)-5(-\d{8})?$|opus-4-[78])/.test(model);
  return canBeDisabled ? { thinking: { type: 'disabled' } } : {};
}
