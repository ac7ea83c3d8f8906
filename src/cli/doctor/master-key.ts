import type { Configuration } from '../../configuration/configuration.ts';
import { MASTER_KEY_REMEDY, masterKeyFault } from '../../secrets/master-key.ts';
import { findSecrets, SecretError } from '../../secrets/secrets.ts';
import { createMasterKeyProofRepository } from '../../storage/access/master-key-proof-repository.ts';
import type { Database } from '../../storage/database/database.ts';
import { type Finding, fault, fine, messageOf, warning } from './finding.ts';

/** Whether a start with this key would be refused; makes none. */
export async function checkMasterKey(
  configuration: Configuration,
  database: Database | null,
): Promise<readonly Finding[]> {
  if (database === null) return [];
  try {
    const proof = await createMasterKeyProofRepository(database).find();
    if (proof === null) return [fine('master key', 'the first start takes it or makes it')];
    const found = masterKeyFault(configuration, await findSecrets(configuration), proof);
    return [
      found === null ? fine('master key', 'it opens what is sealed') : fault('master key', found, MASTER_KEY_REMEDY),
    ];
  } catch (error) {
    if (error instanceof SecretError) return [fault('master key', error.message, MASTER_KEY_REMEDY)];
    const remedy = 'start the service once: it brings the schema up';
    return [warning('master key', `cannot be checked: ${messageOf(error)}`, remedy)];
  }
}
