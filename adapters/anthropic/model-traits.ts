/** What a request must say for the first word to come soonest. */
export interface MessageModelTraits {
  /** Absent: the model's own default, for models that nothing is known of. */
  readonly thinking?: { readonly type: 'disabled' | 'between_tools' };
  /** For models that always think. */
  readonly effort?: 'low';
}

/**
 * By the model's name, after the provider's table
 * (https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting): up to 4.6 a model thinks only when it
 * is asked to; later ones think unless told otherwise, each in its own words, and refuse those of another.
 */
export function messageModelTraits(model: string): MessageModelTraits {
  if (/^claude-(opus-5-5|(fable|mythos)-5)/.test(model)) return { effort: 'low' };
  if (/^claude-sonnet-5-5/.test(model)) return { thinking: { type: 'between_tools' } };
  const canBeDisabled = /^claude-(haiku-5-5|(opus|sonnet)-5(-\d{8})?$|opus-4-[78])/.test(model);
  return canBeDisabled ? { thinking: { type: 'disabled' } } : {};
}
