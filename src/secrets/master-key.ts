import { join } from 'node:path';
import type { Configuration } from '../configuration/configuration.ts';
import type { MasterKeyProofRepository } from '../storage/access/master-key-proof-repository.ts';
import { findSecrets, isSealedWith, loadSecrets, SecretError, type Secrets } from './secrets.ts';

type KeySource = Pick<Configuration, 'masterKey' | 'dataDir'>;

/** What to do where the key is not the database's. */
export const MASTER_KEY_REMEDY =
  'set TRUNKLINE_MASTER_KEY to the key that they were sealed with, or put its master.key back into DATA_DIR; processes that share ' +
  'a database share the key; where it is lost, see docs/master-key.md';

/**
 * The secrets of a database, with the key that it knows; the first start on a database makes it the key's. Rejects with a
 * `SecretError` that names the setting where the key is another one: what it sealed could later be opened by nobody else.
 */
export async function databaseSecrets(source: KeySource, proofs: MasterKeyProofRepository): Promise<Secrets> {
  const known = await proofs.find();
  // Where one is known, none is made: it could only be another one.
  const isThere = known === null || (await findSecrets(source)) !== null;
  const secrets = isThere ? await loadSecrets(source.masterKey, source.dataDir) : null;
  const proof = known ?? (await proofs.keep(secrets?.seal('', 'master_key_proof') ?? ''));
  const fault = masterKeyFault(source, secrets, proof);
  if (secrets === null || fault !== null) throw new SecretError(`${fault}: ${MASTER_KEY_REMEDY}`);
  return secrets;
}

/** Null where the key opens what the database has for that. */
export function masterKeyFault(source: KeySource, secrets: Secrets | null, proof: string): string | null {
  const file = join(source.dataDir, 'master.key');
  if (secrets === null) {
    return `TRUNKLINE_MASTER_KEY is not set and there is no ${file}, yet the database holds sealed secrets`;
  }
  if (isSealedWith(secrets, proof)) return null;
  const name =
    source.masterKey === null ? `the key in ${file} (TRUNKLINE_MASTER_KEY is not set)` : 'TRUNKLINE_MASTER_KEY';
  return `${name} is not the key that the secrets in the database were sealed with`;
}
