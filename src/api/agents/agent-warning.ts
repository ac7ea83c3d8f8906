/** A likely mistake in an agent, which is stored nevertheless. */
export interface AgentWarning {
  /** Path of the field, for example `states[0].prompt`. */
  readonly field: string;
  readonly message: string;
}

/** Until the agent has a secret, a receiver cannot tell its events from forged ones. */
export const UNSIGNED_WEBHOOK: AgentWarning = {
  field: 'webhook_url',
  message: 'its events are not signed: create a secret with POST /v1/agents/{id}/webhook-secret',
};

export function withWarnings(message: string, warnings: readonly AgentWarning[]): string {
  return message + warnings.map(({ field, message: text }) => `. Warning: ${field}: ${text}`).join('');
}
