import { parseAuthSchemes } from './auth-parameters.ts';
import { algorithmOf, type DigestAlgorithm } from './digest-algorithm.ts';

/** One digest challenge (RFC 7616 §3.3, RFC 8760). Texts have no quotes. */
export interface DigestChallenge {
  readonly realm: string;
  readonly nonce: string;
  readonly opaque: string | null;
  readonly algorithm: DigestAlgorithm;
  /** null for a server of RFC 2069, which has no qop. */
  readonly qop: 'auth' | null;
  /** The nonce was too old, but the password was correct. */
  readonly stale: boolean;
}

/**
 * The supported challenges of these header lines, in the server's order of preference (RFC 8760 §2.4). Skips other schemes,
 * unsupported algorithms, and challenges that offer only `auth-int`.
 */
export function parseChallenges(lines: readonly string[]): DigestChallenge[] {
  return lines
    .flatMap((line) => parseAuthSchemes(line) ?? [])
    .flatMap(({ scheme, parameters }) => {
      const challenge = scheme === 'digest' ? readChallenge(parameters) : null;
      return challenge === null ? [] : [challenge];
    });
}

function readChallenge(parameters: ReadonlyMap<string, string>): DigestChallenge | null {
  const realm = parameters.get('realm');
  const nonce = parameters.get('nonce');
  const algorithm = algorithmOf(parameters.get('algorithm'));
  if (realm === undefined || nonce === undefined || algorithm === null) return null;
  const offered = parameters.get('qop')?.split(',');
  const auth = offered?.some((value) => value.trim().toLowerCase() === 'auth') ?? false;
  if (offered !== undefined && !auth) return null;
  return {
    realm,
    nonce,
    opaque: parameters.get('opaque') ?? null,
    algorithm,
    qop: auth ? 'auth' : null,
    stale: parameters.get('stale')?.toLowerCase() === 'true',
  };
}
