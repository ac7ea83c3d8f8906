import type { Credentials } from '../../../sip/authentication/digest-response.ts';
import type { TrunkAddress } from '../../../sip/signalling/signalling.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { SipTrunkRecord } from '../../storage/telephony/sip-trunk-repository.ts';

/** The SIP address of a trunk, from `host[:port]` with IPv6 addresses in brackets. */
export function trunkAddress({ terminationUri, transport }: SipTrunkRecord): TrunkAddress {
  const match = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(terminationUri);
  const port = match?.[2] === undefined ? null : Number(match[2]);
  return { host: match?.[1] ?? terminationUri, port, transport };
}

/**
 * Credentials for the challenges of a trunk; null without a username or a password.
 * @throws SecretError for a password that was sealed with another key.
 */
export function trunkCredentials(secrets: Pick<Secrets, 'open'>, trunk: SipTrunkRecord): Credentials | null {
  const { username, passwordSealed } = trunk;
  if (username === null || passwordSealed === null) return null;
  return { username, password: secrets.open(passwordSealed, 'trunk_password') };
}
