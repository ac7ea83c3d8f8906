import type { PhoneNumberRepository } from '../../storage/telephony/phone-number-repository.ts';
import type { SipTrunkRecord } from '../../storage/telephony/sip-trunk-repository.ts';

/** A call of an organization. */
export interface OwnCall {
  readonly organizationId: string;
  /** Our number in this call. */
  readonly ownNumber: string;
}

/** The trunk of the call's own number, otherwise the organization's only trunk; null if it has none or several. */
export async function ownTrunk(
  { organizationId, ownNumber }: OwnCall,
  trunks: readonly SipTrunkRecord[],
  numbers: Pick<PhoneNumberRepository, 'findByNumber'>,
): Promise<SipTrunkRecord | null> {
  const number = await numbers.findByNumber(ownNumber);
  const trunkId = number?.organizationId === organizationId ? number.trunkId : null;
  return trunks.find(({ id }) => id === trunkId) ?? (trunks.length === 1 ? (trunks[0] ?? null) : null);
}
