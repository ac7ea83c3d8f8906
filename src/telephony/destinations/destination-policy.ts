import { normalisedDestination, numberOf } from '../../../engine/agent/destination-syntax.ts';
import { PREMIUM_RANGES } from './premium-ranges.ts';

/** The first character of every E.164 number. */
const ANY = '+';

/** Returns why a destination may not be dialled; null where it may. */
export type DestinationPolicy = (destination: string) => string | null;

/**
 * The one policy for every destination that a call may be sent to. The longest matching prefix decides, allowed prefixes and
 * premium ranges together. To allow a premium range, name it or a range within it. A SIP URI whose user part is a number
 * counts as that number. Other SIP URIs pass: their host is checked where it is resolved.
 *
 * @param allowedPrefixes `+` and digits; empty: every number outside the premium ranges
 */
export function createDestinationPolicy(allowedPrefixes: readonly string[]): DestinationPolicy {
  const allowed = allowedPrefixes.length === 0 ? [ANY] : allowedPrefixes;
  return (destination) => {
    const normalised = normalisedDestination(destination);
    if (normalised === null) return 'it is not an E.164 number, tel: or SIP URI';
    const number = numberOf(normalised);
    if (number === null) return null;
    const allows = longestPrefix(number, allowed);
    if (allows === 0) return 'its prefix is not in ALLOWED_PREFIXES';
    return longestPrefix(number, PREMIUM_RANGES) > allows
      ? 'it is in a premium range that ALLOWED_PREFIXES does not allow'
      : null;
  };
}

function longestPrefix(number: string, prefixes: readonly string[]): number {
  return Math.max(0, ...prefixes.filter((prefix) => number.startsWith(prefix)).map(({ length }) => length));
}
