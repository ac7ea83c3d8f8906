import type { Credentials } from '../../../sip/authentication/digest-response.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { SipTrunkRecord } from '../../storage/telephony/sip-trunk-repository.ts';

/**
 * Credentials for the challenges of a trunk; null without a username or a password.
 * @throws SecretError for a password that was sealed with another key.
 */
export function trunkCredentials(secrets: Pick<Secrets, 'open'>, trunk: SipTrunkRecord): Credentials | null {
  const { username, passwordSealed } = trunk;
  if (username === null || passwordSealed === null) return null;
  return { username, password: secrets.open(passwordSealed, 'trunk_password') };
}
