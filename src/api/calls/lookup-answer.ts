import type { LookupWebhookOptions } from '../../calls/lookup/lookup-webhook.ts';
import { validated } from '../errors/validation.ts';
import { lookupAnswerBody } from '../schemas/lookup-answer.ts';
import { type CallRequestRules, callRequest } from './call-request.ts';

/** Reads the answers of lookup webhooks by the rules of a request that starts a call. Rejects with an `ApiError` that names the field. */
export function lookupAnswerReader(rules: CallRequestRules): LookupWebhookOptions['readAnswer'] {
  return async (organizationId, ownAgentId, body) => {
    const { agent_id, refuse, ...more } = validated(lookupAnswerBody, body);
    if (refuse) return { type: 'refused', sipStatus: refuse.sip_status };
    const request = await callRequest(rules, organizationId, { ...more, agent_id: agent_id ?? ownAgentId });
    return { type: 'accepted', request };
  };
}
