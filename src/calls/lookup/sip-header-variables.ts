import type { InboundInvite } from '../../../sip/signalling/signalling.ts';
import type { SipHeaderVariable } from '../../storage/telephony/phone-number-repository.ts';
import { userToUserText } from './user-to-user.ts';

type Headers = Pick<InboundInvite, 'header'>;

/** The unchanged values of those listed headers that the INVITE has, by the name in the list. */
export function listedHeaders(invite: Headers, listed: readonly SipHeaderVariable[]): Readonly<Record<string, string>> {
  const found = listed.map(({ header }) => ({ header, value: invite.header(header) }));
  return Object.fromEntries(found.flatMap(({ header, value }) => (value === null ? [] : [[header, value]])));
}

/** The values of the listed headers by variable. A missing or empty header has no variable. */
export function sipHeaderVariables(
  invite: Headers,
  listed: readonly SipHeaderVariable[],
): Readonly<Record<string, string>> {
  const found = listed.map(({ header, variable }) => {
    const value = invite.header(header) ?? '';
    return { variable, value: /^user-to-user$/i.test(header) ? userToUserText(value) : value };
  });
  return Object.fromEntries(found.flatMap(({ variable, value }) => (value === '' ? [] : [[variable, value]])));
}
