import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createBackup } from '../../backup/create-backup.ts';
import { restoreBackup } from '../../backup/restore-backup.ts';
import { loadConfiguration } from '../../configuration/configuration.ts';
import { packageVersion } from '../files/package-version.ts';
import { type CommandOutput, runCommand } from './command-run.ts';

const BACKUP_USAGE = `trunkline backup FILE [--without-recordings] [--without-secrets | --with-master-key]

  Writes the database and its recordings, tapes and knowledge files into FILE, a tar archive that must not exist. The service may be
  running. Secrets in it are encrypted with the master key, which is not in it: keep that key in another place.
  --without-recordings   leave out recordings and tapes
  --without-secrets      leave out what the master key encrypts: passwords of trunks, secret headers, webhook secrets
  --with-master-key      put the master key in: who has FILE can read the secrets

  Exit status: 0 written, 1 failed, 2 wrong usage.
`;
const RESTORE_USAGE = `trunkline restore FILE [--without-secrets]

  Fills an empty DATA_DIR, and with DATABASE_URL an empty PostgreSQL database, from the archive of «trunkline backup». The archive may
  come from the other kind of database, and from an older version. The service must not run. A damaged archive is refused
  before anything is written.
  --without-secrets      the master key of the backup is lost: leave out what only it can read

  Exit status: 0 restored, 1 failed, 2 wrong usage.
`;
const MIB = 1024 * 1024;

/** `trunkline backup FILE`: resolves to the exit status of the usage. */
export function backupCommand(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  output: CommandOutput,
): Promise<number> {
  const options = {
    'without-recordings': { type: 'boolean' },
    'without-secrets': { type: 'boolean' },
    'with-master-key': { type: 'boolean' },
  } as const;
  return runCommand(args, BACKUP_USAGE, output, () => {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const path = onlyFile(positionals);
    const withMasterKey = values['with-master-key'] === true;
    const withSecrets = values['without-secrets'] !== true;
    if (withMasterKey && !withSecrets) throw new Error('use either --without-secrets or --with-master-key');
    return async () => {
      const { rows, files } = await createBackup({
        configuration: loadConfiguration(environment),
        path,
        version: packageVersion(),
        withRecordings: values['without-recordings'] !== true,
        withSecrets,
        withMasterKey,
        nowMs: Date.now(),
      });
      const { size } = await stat(path);
      return `${path}: ${rows} rows and ${files} files, ${(size / MIB).toFixed(1)} MiB\n`;
    };
  });
}

/** `trunkline restore FILE`: resolves to the exit status of the usage. */
export function restoreCommand(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  output: CommandOutput,
): Promise<number> {
  return runCommand(args, RESTORE_USAGE, output, () => {
    const options = { 'without-secrets': { type: 'boolean' } } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const path = onlyFile(positionals);
    return async () => {
      const { rows, files, manifest } = await restoreBackup({
        configuration: loadConfiguration(environment),
        path,
        withSecrets: values['without-secrets'] !== true,
      });
      return `restored ${rows} rows and ${files} files of ${manifest.created}, made by Trunkline ${manifest.version}\n`;
    };
  });
}

function onlyFile(positionals: readonly string[]): string {
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) throw new Error('expected one file');
  return resolve(path);
}
