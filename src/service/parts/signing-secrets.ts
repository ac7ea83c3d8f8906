import type { Secrets } from '../../secrets/secrets.ts';
import type { Repositories } from '../../storage/repositories.ts';

/** Reads the secrets that sign the webhooks of an agent, newest first. */
export function signingSecrets(
  { webhookSecrets }: Pick<Repositories, 'webhookSecrets'>,
  secrets: Pick<Secrets, 'open'>,
): (agentId: string, nowMs: number) => Promise<readonly string[]> {
  return async (agentId, nowMs) => {
    const sealed = await webhookSecrets.signing(agentId, nowMs);
    return sealed.map((secret) => secrets.open(secret, 'webhook_secret'));
  };
}
