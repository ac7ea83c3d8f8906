import { normalisedDestination, numberOf } from '../../../engine/agent/destination.ts';
import { PREMIUM_RANGES } from './premium-ranges.ts';

/** Every number begins so. */
const ANY = '+';

/** Says why a destination is not dialled; null where it may be. */
export type DestinationPolicy = (destination: string) => string | null;

/**
 * The policy that every destination passes. Of the prefixes that a number begins with, allowed ones and premium ranges,
 * the longest decides, so a premium range can be opened by naming it, or one within it. A SIP URI whose user part is a
 * number is judged by that number; any other is let through, for its host is judged where it is resolved.
 *
 * @param allowedPrefixes `+` and digits; none: every number outside the premium ranges
 */
export function createDestinationPolicy(allowedPrefixes: readonly string[]): DestinationPolicy {
  const allowed = allowedPrefixes.length === 0 ? [ANY] : allowedPrefixes;
  return (destination) => {
    const normalised = normalisedDestination(destination);
    if (normalised === null) return 'it is no E.164 number, tel: or SIP URI';
    const number = numberOf(normalised);
    if (number === null) return null;
    const allows = longestPrefix(number, allowed);
    if (allows === 0) return 'numbers that begin as it does are not allowed here';
    return longestPrefix(number, PREMIUM_RANGES) > allows
      ? 'it is in a premium range, which is not allowed here'
      : null;
  };
}

function longestPrefix(number: string, prefixes: readonly string[]): number {
  return Math.max(0, ...prefixes.filter((prefix) => number.startsWith(prefix)).map(({ length }) => length));
}
