import type { InboundInvite } from '../../../sip/signalling/signalling.ts';
import type { PhoneNumberRecord, PhoneNumberRepository } from '../../storage/telephony/phone-number-repository.ts';
import type { SipTrunkRepository } from '../../storage/telephony/sip-trunk-repository.ts';
import { e164 } from './e164.ts';

export interface CalledNumberOptions {
  readonly numbers: Pick<PhoneNumberRepository, 'findByNumber'>;
  readonly trunks: Pick<SipTrunkRepository, 'all'>;
}

/**
 * Finds our number that an INVITE calls; null for none. It is the number in the Request-URI. But a registrar puts the
 * registered username there (RFC 3261 §16.5), for every dialled number. Then the number in To counts.
 */
export async function calledNumber(
  { dialled, addressee }: Pick<InboundInvite, 'dialled' | 'addressee'>,
  { numbers, trunks }: CalledNumberOptions,
): Promise<PhoneNumberRecord | null> {
  if (addressee !== dialled) {
    const meant = await numbers.findByNumber(e164(addressee) ?? addressee);
    const registered = meant === null ? [] : await trunks.all(meant.organizationId);
    if (registered.some(({ register, username }) => register && username === dialled)) return meant;
  }
  return numbers.findByNumber(e164(dialled) ?? dialled);
}
