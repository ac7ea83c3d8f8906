import type { AgentOverrides } from '../../../engine/agent/agent-overrides.ts';
import type { JsonValue } from '../../../engine/agent/json-value.ts';
import type { InboundInvite } from '../../../sip/signalling/signalling.ts';
import type { Log } from '../../log/log.ts';
import type { AgentRepository } from '../../storage/agents/agent-repository.ts';
import type { PhoneNumberRecord } from '../../storage/telephony/phone-number-repository.ts';
import type { AgentCache, LoadedAgent } from '../agents/agent-cache.ts';
import { mistypedVariables } from '../agents/mistyped-variables.ts';
import type { CallRequest } from '../api-requests/call-service.ts';
import type { LookupWebhook } from './lookup-webhook.ts';
import { listedHeaders, sipHeaderVariables } from './sip-header-variables.ts';

/** The decision about a call to a number. */
export type NumberCall =
  | ({ readonly type: 'accepted' } & AcceptedCall)
  /** By the lookup webhook. */
  | { readonly type: 'refused'; readonly sipStatus: number }
  /** The agent was deleted. */
  | { readonly type: 'unknown_agent' };

export interface AcceptedCall {
  /** With the overrides of the call. */
  readonly agent: LoadedAgent;
  readonly agentOverrides: AgentOverrides | null;
  readonly dynamicVariables: { readonly [name: string]: JsonValue };
  /** The dynamic variables whose values the caller wrote. */
  readonly untrustedVariables: readonly string[];
}

export interface NumberCallsOptions {
  readonly agents: Pick<AgentRepository, 'find'>;
  readonly cache: Pick<AgentCache, 'loadOf'>;
  readonly lookup: Pick<LookupWebhook, 'ask'>;
  /** The log of one call. */
  readonly log: (callId: string) => Pick<Log, 'warn'>;
}

/** An INVITE to a number with an agent. */
export interface CalledNumber {
  readonly invite: Pick<InboundInvite, 'header' | 'sipCallId' | 'cancelled'>;
  readonly number: PhoneNumberRecord;
  /** The inbound agent of the number. */
  readonly agentId: string;
  /** Id of the call that the INVITE becomes. */
  readonly callId: string;
  /** E.164; null if withheld. */
  readonly fromNumber: string | null;
  /** See `CallRecord`. */
  readonly traceparent: string | null;
}

/** Decides before the answer which agent takes a call to a number, and with which values: by its lookup webhook and the INVITE. */
export class NumberCalls {
  readonly #options: NumberCallsOptions;

  constructor(options: NumberCallsOptions) {
    this.#options = options;
  }

  async decide(called: CalledNumber): Promise<NumberCall> {
    const answer = await this.#ask(called);
    if (answer?.type === 'refused') return answer;
    const request = answer?.request ?? (await this.#ownAgent(called));
    return request === null ? { type: 'unknown_agent' } : this.#accepted(called, request);
  }

  /**
   * null: the number's own agent takes the call, because there is no lookup webhook, it failed, or the caller has hung up. The answer is
   * awaited then too: the call counts toward the limits of its caller as long as it occupies the webhook.
   */
  async #ask({ agentId, callId, fromNumber, invite, number, traceparent }: CalledNumber) {
    const { id, lookupWebhookUrl: url, organizationId, sipHeaderVariables: listed } = number;
    if (url === null) return null;
    const question = {
      organization_id: organizationId,
      agent_id: agentId,
      call_id: callId,
      data: {
        phone_number_id: id,
        to_number: number.number,
        from_number: fromNumber,
        sip_call_id: invite.sipCallId,
        sip_headers: listedHeaders(invite, listed),
      },
    };
    const outcome = await this.#options.lookup.ask(url, question, traceparent);
    if (invite.cancelled) return null;
    if (outcome.type !== 'failed') return outcome;
    this.#options.log(callId).warn({ phone_number_id: id, reason: outcome.reason }, 'caller lookup failed');
    return null;
  }

  async #ownAgent({ agentId, number }: CalledNumber): Promise<CallRequest | null> {
    const { organizationId } = number;
    const record = await this.#options.agents.find(agentId);
    if (record === null) return null;
    return { organizationId, agentId, agentVersion: record.activeVersion, dynamicVariables: {}, agentOverrides: null };
  }

  /** Values of the webhook come before those of the INVITE. */
  async #accepted({ callId, invite, number }: CalledNumber, request: CallRequest): Promise<NumberCall> {
    const { agentOverrides, dynamicVariables: given } = request;
    const agent = await this.#options.cache.loadOf(request);
    const listed = number.sipHeaderVariables.filter(({ variable }) => !Object.hasOwn(given, variable));
    const values = sipHeaderVariables(invite, listed);
    const mistyped = mistypedVariables(agent.configuration, values);
    for (const { name, type } of mistyped) {
      this.#options.log(callId).warn({ variable: name, expected: type }, 'SIP header variable ignored');
    }
    const kept = Object.entries(values).filter(([variable]) => mistyped.every(({ name }) => name !== variable));
    return {
      type: 'accepted',
      agent,
      agentOverrides,
      dynamicVariables: { ...Object.fromEntries(kept), ...given },
      untrustedVariables: kept.map(([variable]) => variable),
    };
  }
}
