import type { AgentBody } from '../schemas/agent.ts';

/** A likely mistake in an agent, which is stored nevertheless. */
export interface AgentWarning {
  /** Path of the field, for example `states[0].prompt`. */
  readonly field: string;
  readonly message: string;
}

/** Until the agent has a secret, a receiver cannot tell its events from forged ones. */
const UNSIGNED_WEBHOOK: AgentWarning = {
  field: 'webhook_url',
  message: 'its events are not signed: create a secret with POST /v1/agents/{id}/webhook-secret',
};

/** An empty list: without the field, the default kinds are sent. */
const NO_EVENTS: AgentWarning = {
  field: 'webhook_subscriptions',
  message:
    'the list is empty, so webhook_url gets no events: name their kinds, or omit the field for the default kinds',
};

export function webhookWarnings(
  { webhook_subscriptions, webhook_url }: Pick<AgentBody, 'webhook_subscriptions' | 'webhook_url'>,
  hasSecret: boolean,
): readonly AgentWarning[] {
  if (webhook_url === null) return [];
  if (webhook_subscriptions.length === 0) return [NO_EVENTS];
  return hasSecret ? [] : [UNSIGNED_WEBHOOK];
}

export function withWarnings(message: string, warnings: readonly AgentWarning[]): string {
  return message + warnings.map(({ field, message: text }) => `. Warning: ${field}: ${text}`).join('');
}
