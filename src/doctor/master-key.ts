import type { Configuration } from '../configuration/configuration.ts';
import { findSecrets } from '../secrets/key-file.ts';
import { MASTER_KEY_REMEDY, masterKeyFault } from '../secrets/master-key.ts';
import { SecretError } from '../secrets/secrets.ts';
import { createMasterKeyProofRepository } from '../storage/access/master-key-proof-repository.ts';
import { createMasterKeyRepository } from '../storage/access/master-key-repository.ts';
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
    const masterKeys = createMasterKeyRepository(database);
    const found = await masterKeyFault(configuration, await findSecrets(configuration), proof, { masterKeys });
    if (found !== null) return [fault('master key', found, MASTER_KEY_REMEDY)];
    if ((await masterKeys.keys()).length > 0) {
      const remedy = 'start every process with the new key, then: trunkline rotate-master-key --finish';
      return [warning('master key', 'its rotation is not finished: the old key still opens the secrets', remedy)];
    }
    return [fine('master key', 'it decrypts the stored secrets')];
  } catch (error) {
    if (error instanceof SecretError) return [fault('master key', error.message, MASTER_KEY_REMEDY)];
    const remedy = 'start the service once: it migrates the database';
    return [warning('master key', `cannot be checked: ${messageOf(error)}`, remedy)];
  }
}
