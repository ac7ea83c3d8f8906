import { getParameter } from '../../../sip/message/parameters.ts';
import { decodeUser, formatUri, type SipUri } from '../../../sip/message/uri.ts';
import { type Extensions, USER_NAME } from '../../configuration/extensions.ts';
import { isHostOf } from '../trunks/host-of-trunk.ts';
import type { Dialler, JudgeNumber, Ruling } from './destination-ruling.ts';
import { digitsIn, isExtension } from './extension-match.ts';

/** From seven digits on, a text counts as a phone number: no network is reached by fewer. */
const NUMBER_DIGITS_MIN = 7;
/**
 * Parameters that change neither whom nor how a peer calls. Others do: `maddr` names another host, `method` another request
 * (RFC 3261 §19.1.1), `phone-context`, `rn` and `tgrp` another number or trunk (RFC 3966, 4694, 4904).
 */
const PARAMETERS: readonly string[] = ['transport', 'user'];

export interface SipRules {
  readonly extensions: Extensions;
  readonly judgeNumber: JudgeNumber;
}

/**
 * Judges a SIP URI by its decoded user part, as the callee's server reads it. A listed extension is dialled. A name is dialled at a host
 * that is not a trunk: the host answers for it, and is checked where it is resolved. Everything else counts as a number: peers may ignore
 * the host of a SIP URI and dial its user part, so short numbers and star codes do too.
 */
export function judgeSipUri(uri: SipUri, dialler: Dialler, { extensions, judgeNumber }: SipRules): Ruling {
  const foreign = uri.parameters.find(({ name }) => !PARAMETERS.includes(name.toLowerCase()));
  if (foreign !== undefined) return { ok: false, reason: `its URI parameter ${foreign.name} is not allowed` };
  if (uri.headers.length > 0 || uri.password !== null)
    return { ok: false, reason: 'its URI has headers or a password' };
  const trunk = dialler.trunks.find((candidate) => isHostOf(uri.host, candidate));
  if (uri.user === null)
    return trunk === undefined ? dialled(uri, null) : { ok: false, reason: 'its address has no user part' };
  const user = withoutParameters(decodeUser(uri.user));
  if (isExtension(user, extensions)) return dialled(uri, user);
  const isPhone = (getParameter(uri.parameters, 'user') ?? 'ip').toLowerCase() !== 'ip';
  if (trunk !== undefined || isPhone || !isName(user)) {
    const ruling = judgeNumber(user, (trunk ?? dialler.own)?.country ?? null);
    return ruling.ok ? dialled(uri, ruling.destination) : ruling;
  }
  if (!USER_NAME.test(user)) return { ok: false, reason: 'its user part has characters that are not allowed' };
  return dialled(uri, user);
}

/**
 * A name has a letter, no character of a star code, and fewer digits than a phone number. With three digits or more at its start it may
 * be a number in letters of the keypad, as 1900FLOWERS (ITU-T E.161).
 */
function isName(user: string): boolean {
  return /^(?!\+?\d{3})[^*#]*[A-Za-z][^*#]*$/.test(user) && digitsIn(user) < NUMBER_DIGITS_MIN;
}

/** The parameters of an international number (RFC 3261 §19.1.6) are not dialled. Other users keep theirs, and are refused for them. */
function withoutParameters(user: string): string {
  return user.replace(/^(\+[0-9().-]+);.*$/s, '$1');
}

/** `user` holds only characters that need no escape, or a `#`. */
function dialled(uri: SipUri, user: string | null): Ruling {
  return { ok: true, destination: formatUri({ ...uri, user: user?.replaceAll('#', '%23') ?? null }) };
}
