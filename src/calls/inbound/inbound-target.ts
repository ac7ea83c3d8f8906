import type { InboundInvite } from '../../../sip/signalling/signalling.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import type { CallRepository } from '../../storage/calls/call-repository.ts';
import type { PhoneNumberRecord } from '../../storage/telephony/phone-number-repository.ts';
import { type CalledNumberOptions, calledNumber } from '../../telephony/numbers/called-number.ts';
import { isSameNumber } from '../../telephony/numbers/same-number.ts';
import type { Refusal, RefusalCause } from '../../telephony/refusals/refusal-cause.ts';
import { NOT_FOUND } from '../../telephony/refusals/refusal-status.ts';

export interface InboundTargetOptions extends CalledNumberOptions {
  readonly calls: Pick<CallRepository, 'find'>;
  /** Whether the INVITE for a staged call must dial its `to_number`. */
  readonly comparesStagedNumber: boolean;
}

/** The target of an INVITE. Nothing is claimed yet. */
export type InboundTarget =
  | { readonly type: 'staged'; readonly call: CallRecord }
  | { readonly type: 'number'; readonly number: PhoneNumberRecord; readonly agentId: string }
  /** All calls of this number are redirected, even if it has an agent. */
  | { readonly type: 'redirected'; readonly number: PhoneNumberRecord; readonly destination: string };

type NoTarget = { readonly type: 'none'; readonly refusal: Refusal };

/** The refusal of an INVITE whose target is not looked up. */
export const GUESS_LIMIT: Refusal = { cause: 'guess_limit', status: NOT_FOUND, detail: null, organizationId: null };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The staged call that the INVITE names, else the redirect or the agent of the called number. All refusals are 404. */
export async function findInboundTarget(
  invite: Pick<InboundInvite, 'serviceCallId' | 'dialled' | 'addressee'>,
  options: InboundTargetOptions,
): Promise<InboundTarget | NoTarget> {
  if (invite.serviceCallId !== null) return stagedCall(invite.serviceCallId, invite, options);
  const number = await calledNumber(invite, options);
  if (number === null) return none('unknown_number', null);
  if (number.redirect && number.redirectPhoneNumber !== null) {
    return { type: 'redirected', number, destination: number.redirectPhoneNumber };
  }
  if (number.inboundAgentId === null) return none('number_without_agent', number.organizationId);
  return { type: 'number', number, agentId: number.inboundAgentId };
}

async function stagedCall(
  id: string,
  { dialled, addressee }: Pick<InboundInvite, 'dialled' | 'addressee'>,
  { calls, comparesStagedNumber }: InboundTargetOptions,
): Promise<InboundTarget | NoTarget> {
  const call = UUID.test(id) ? await calls.find(id.toLowerCase()) : null;
  if (call?.type !== 'phone_call' || call.direction !== 'inbound') return none('unknown_staged_call', null);
  const { endReason, organizationId, status, toNumber } = call;
  if (status !== 'initiated' && status !== 'staged') {
    return none(endReason === 'staging_timeout' ? 'staged_call_expired' : 'staged_call_taken', organizationId);
  }
  // A registrar writes the registered username into the Request-URI; To then contains the dialled number.
  const isDialled = toNumber === null || [dialled, addressee].some((user) => isSameNumber(user, toNumber));
  return isDialled || !comparesStagedNumber ? { type: 'staged', call } : none('staged_number_differs', organizationId);
}

function none(cause: RefusalCause, organizationId: string | null): NoTarget {
  return { type: 'none', refusal: { cause, status: NOT_FOUND, detail: null, organizationId } };
}
