import { join } from 'node:path';
import type { Configuration } from '../configuration/configuration.ts';
import type { MasterKeyProofRepository } from '../storage/access/master-key-proof-repository.ts';
import { findSecrets, isSealedWith, loadSecrets, SecretError, type Secrets } from './secrets.ts';

type KeySource = Pick<Configuration, 'masterKey' | 'dataDir'>;

/** The remedy for a key that differs from the key of the database. */
export const MASTER_KEY_REMEDY =
  'set TRUNKLINE_MASTER_KEY to the key that they were sealed with, or put its master.key back into DATA_DIR; processes that share ' +
  'a database share the key; where it is lost, see docs/master-key.md';

/**
 * Opens the secrets of a database. Its first start keeps a proof of the key; every later start needs the same key. Rejects with a
 * `SecretError` that names the setting for another key: no other process could open the values that it seals.
 */
export async function databaseSecrets(source: KeySource, proofs: MasterKeyProofRepository): Promise<Secrets> {
  const known = await proofs.find();
  // A database with a proof gets no new key: it could only differ.
  const isThere = known === null || (await findSecrets(source)) !== null;
  const secrets = isThere ? await loadSecrets(source.masterKey, source.dataDir) : null;
  const proof = known ?? (await proofs.keep(secrets?.seal('', 'master_key_proof') ?? ''));
  const fault = masterKeyFault(source, secrets, proof);
  if (secrets === null || fault !== null) throw new SecretError(`${fault}: ${MASTER_KEY_REMEDY}`);
  return secrets;
}

/** Null if the key opens the proof of the database. */
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
