import type { SipTrunkRecord } from '../../storage/telephony/sip-trunk-repository.ts';

/**
 * The Contact of a 302 (RFC 3261 §21.3.3): the number at the trunk of the call; without a trunk a `tel:` URI (RFC 3966).
 * @param destination E.164
 */
export function redirectContact(destination: string, trunk: Pick<SipTrunkRecord, 'terminationUri'> | null): string {
  return trunk === null ? `<tel:${destination}>` : `<sip:${destination}@${trunk.terminationUri};user=phone>`;
}
