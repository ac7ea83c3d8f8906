import type { CountryCode } from 'libphonenumber-js/max';
import { normalisedDestination } from '../../../engine/agent/destination-syntax.ts';
import { parseUri } from '../../../sip/message/uri.ts';
import type { Extensions } from '../../configuration/extensions.ts';
import type { DestinationPolicy, JudgeNumber } from './destination-ruling.ts';
import { dialledNumber } from './dialled-number.ts';
import { PREMIUM_RANGES } from './premium-ranges.ts';
import { judgeSipUri } from './sip-destination.ts';

/** The first character of every E.164 number. */
const ANY = '+';
/** National digits of an allowed prefix from which on it names a range, and not a country or a large area. */
const NAMED_RANGE_DIGITS = 3;

export interface DestinationPolicyOptions {
  /** `ALLOWED_PREFIXES`: `+` and digits; empty: every number outside the premium ranges. */
  readonly allowedPrefixes: readonly string[];
  readonly extensions: Extensions;
}

/**
 * The one policy for every destination that a call may be sent to. The longest matching prefix decides, allowed prefixes and
 * premium ranges together. To allow a premium range, name it or a range within it. `judgeSipUri` decides which SIP URIs count as numbers.
 */
export function createDestinationPolicy({ allowedPrefixes, extensions }: DestinationPolicyOptions): DestinationPolicy {
  const allowed = allowedPrefixes.length === 0 ? [ANY] : allowedPrefixes;
  const judgeNumber: JudgeNumber = (text, country) => {
    const dialled = dialledNumber(text, country);
    if (dialled === null) return { ok: false, reason: noNumber(country) };
    const { number, countryCode, isPremium } = dialled;
    const allows = longestPrefix(number, allowed);
    if (allows === 0) return { ok: false, reason: 'its prefix is not in ALLOWED_PREFIXES' };
    const isNamed = countryCode !== null && allows >= ANY.length + countryCode.length + NAMED_RANGE_DIGITS;
    return longestPrefix(number, PREMIUM_RANGES) > allows || (isPremium && !isNamed)
      ? { ok: false, reason: 'it is in a premium range that ALLOWED_PREFIXES does not allow' }
      : { ok: true, destination: number };
  };
  return (destination, dialler) => {
    const normalised = normalisedDestination(destination);
    if (normalised === null) return { ok: false, reason: 'it is not an E.164 number, tel: or SIP URI' };
    if (normalised.startsWith(ANY)) return judgeNumber(normalised, null);
    const uri = parseUri(normalised);
    if (uri === null || uri.scheme === 'tel') return { ok: false, reason: 'it is not a valid SIP URI' };
    return judgeSipUri(uri, dialler, { extensions, judgeNumber });
  };
}

function noNumber(country: CountryCode | null): string {
  const form = country === null ? 'with + and without a `country` of its trunk' : `with + or as dialled in ${country}`;
  return `it is neither a phone number (${form}) nor in ALLOWED_EXTENSIONS`;
}

function longestPrefix(number: string, prefixes: readonly string[]): number {
  return Math.max(0, ...prefixes.filter((prefix) => number.startsWith(prefix)).map(({ length }) => length));
}
