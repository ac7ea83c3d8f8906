import { join } from 'node:path';
import type { MasterKeyProofRepository } from '../storage/access/master-key-proof-repository.ts';
import type { MasterKeyRepository } from '../storage/access/master-key-repository.ts';
import { findSecrets, type KeySource, loadSecrets } from './key-file.ts';
import type { MasterKeyRing } from './master-key-ring.ts';
import { SecretError } from './secrets.ts';

/** The repositories of the master key. */
export interface StoredMasterKeys {
  readonly masterKeyProof: MasterKeyProofRepository;
  readonly masterKeys: MasterKeyRepository;
}

/** The remedy for a key that differs from the key of the database. */
export const MASTER_KEY_REMEDY =
  'set TRUNKLINE_MASTER_KEY to the key that they were sealed with, or put its master.key back into DATA_DIR; processes that share ' +
  'a database share the key; where it was rotated, set the new one; where it is lost, see docs/master-key.md';

/**
 * Opens the secrets of a database. Its first start keeps a proof of the key; every later start needs the same key, or during a rotation
 * either of its two keys. Rejects with a `SecretError` that names the setting for another key: no other process could open the values
 * that it seals.
 */
export async function databaseSecrets(source: KeySource, stored: StoredMasterKeys): Promise<MasterKeyRing> {
  const known = await stored.masterKeyProof.find();
  // A database with a proof gets no new key: it could only differ.
  const isThere = known === null || (await findSecrets(source)) !== null;
  const keyring = isThere ? await loadSecrets(source) : null;
  const proof = known ?? (await stored.masterKeyProof.keep(keyring?.seal('', 'master_key_proof') ?? ''));
  const fault = await masterKeyFault(source, keyring, proof, stored);
  if (keyring === null || fault !== null) throw new SecretError(`${fault}: ${MASTER_KEY_REMEDY}`);
  return keyring;
}

/** Null if the key, or with it another one of a rotation, opens the proof of the database. The keyring then seals with that key. */
export async function masterKeyFault(
  source: KeySource,
  keyring: MasterKeyRing | null,
  proof: string,
  { masterKeys }: Pick<StoredMasterKeys, 'masterKeys'>,
): Promise<string | null> {
  const file = join(source.dataDir, 'master.key');
  if (keyring === null) {
    return `TRUNKLINE_MASTER_KEY is not set and there is no ${file}, yet the database holds sealed secrets`;
  }
  await addStoredKeys(keyring, masterKeys);
  const current = keyring.keyIdFor(proof, 'master_key_proof');
  if (current !== null) {
    keyring.sealWith(current);
    return null;
  }
  const name =
    source.masterKey === null ? `the key in ${file} (TRUNKLINE_MASTER_KEY is not set)` : 'TRUNKLINE_MASTER_KEY';
  return `${name} is not the key that the secrets in the database were sealed with`;
}

/** Adds the keys of a rotation that these keys open. Resolves to the number of stored keys: 0 without a rotation. */
export async function addStoredKeys(
  keyring: MasterKeyRing,
  masterKeys: Pick<MasterKeyRepository, 'keys'>,
): Promise<number> {
  const stored = await masterKeys.keys();
  for (const { id, keySealed, sealedWith } of stored) {
    if (keyring.has(id) || !keyring.has(sealedWith)) continue;
    keyring.add(Buffer.from(keyring.open(keySealed, 'master_key'), 'hex'));
  }
  return stored.length;
}
