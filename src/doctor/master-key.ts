import type { Configuration } from '../configuration/configuration.ts';
import { MASTER_KEY_REMEDY, masterKeyFault } from '../secrets/master-key.ts';
import { findSecrets, SecretError } from '../secrets/secrets.ts';
import { createMasterKeyProofRepository } from '../storage/access/master-key-proof-repository.ts';
import type { Database } from '../storage/database/database.ts';
import { type Finding, fault, fine, messageOf, warning } from './finding.ts';

/** Checks whether a start with this master key would be refused. Creates no key. */
export async function checkMasterKey(
  configuration: Configuration,
  database: Database | null,
): Promise<readonly Finding[]> {
  if (database === null) return [];
  try {
    const proof = await createMasterKeyProofRepository(database).find();
    if (proof === null) return [fine('master key', 'the first start stores or creates it')];
    const found = masterKeyFault(configuration, await findSecrets(configuration), proof);
    return [
      found === null
        ? fine('master key', 'it decrypts the stored secrets')
        : fault('master key', found, MASTER_KEY_REMEDY),
    ];
  } catch (error) {
    if (error instanceof SecretError) return [fault('master key', error.message, MASTER_KEY_REMEDY)];
    const remedy = 'start the service once: it migrates the database';
    return [warning('master key', `cannot be checked: ${messageOf(error)}`, remedy)];
  }
}
