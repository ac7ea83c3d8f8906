import type { TransferRequest } from '../../../engine/ports/call-control.ts';
import { checkCustomHeaders } from '../../../sip/message/custom-headers.ts';
import type { PhoneNumberRepository } from '../../storage/telephony/phone-number-repository.ts';
import type { SipTrunkRepository } from '../../storage/telephony/sip-trunk-repository.ts';
import { type OwnCall, ownTrunk } from '../trunks/own-trunk.ts';
import type { DestinationPolicy } from './destination-ruling.ts';
import { judgeToHeader } from './to-header.ts';

export interface TransferPolicyOptions {
  readonly policy: DestinationPolicy;
  readonly trunks: Pick<SipTrunkRepository, 'all'>;
  readonly numbers: Pick<PhoneNumberRepository, 'findByNumber'>;
}

/** `request`: destination and headers in the form that was judged. `reason` in words for the model. */
export type TransferRuling =
  | { readonly ok: true; readonly request: TransferRequest }
  | { readonly ok: false; readonly reason: string };

/** Judges the transfers of calls by the destination policy, with the trunks of their organization. */
export class TransferPolicy {
  readonly #options: TransferPolicyOptions;

  constructor(options: TransferPolicyOptions) {
    this.#options = options;
  }

  /** Rejects with a `DatabaseError`. */
  async judge(call: OwnCall, request: TransferRequest): Promise<TransferRuling> {
    const check = checkCustomHeaders(request.headers);
    if (!check.ok) {
      const faults = check.faults.map(({ field, message }) => `${field ?? 'all'} ${message}`);
      return { ok: false, reason: `its headers are not allowed: ${faults.join(', ')}` };
    }
    const { numbers, policy, trunks } = this.#options;
    const all = await trunks.all(call.organizationId);
    const own = await ownTrunk(call, all, numbers);
    const dialler = { trunks: all, own };
    const ruling = policy(request.destination, dialler);
    if (!ruling.ok) return { ok: false, reason: `the destination is not dialled: ${ruling.reason}` };
    const headers = judgeToHeader(request.headers, dialler, policy);
    if (!headers.ok) return { ok: false, reason: `its header ${headers.field} is not allowed: ${headers.reason}` };
    return { ok: true, request: { ...request, destination: ruling.destination, headers: headers.headers } };
  }
}
