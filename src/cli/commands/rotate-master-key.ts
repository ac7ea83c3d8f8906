import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { loadConfiguration } from '../../configuration/configuration.ts';
import { keyInFile } from '../../secrets/key-file.ts';
import { databaseSecrets } from '../../secrets/master-key.ts';
import { finishRotation, type RotationCounts, rotateMasterKey } from '../../secrets/master-key-rotation.ts';
import { createSealedValueRepository } from '../../storage/access/sealed-value-repository.ts';
import { openDatabaseOrGuest } from '../../storage/database/database.ts';
import { createRepositories } from '../../storage/repositories.ts';
import { type CommandOutput, runCommand } from './command-run.ts';

const USAGE = `trunkline rotate-master-key FILE
trunkline rotate-master-key --finish

  Encrypts all stored secrets with the key in FILE, while services run. FILE is made with a new key if it is missing; store a copy of it.
  If the command is interrupted, run it again with the same FILE. Until --finish, both keys start a service.
  --finish   after every service was restarted with the new key: the old key opens nothing any more

  Exit status: 0 done, 1 failed, 2 wrong usage.
`;

/** `trunkline rotate-master-key`: resolves to the exit status of the usage. */
export function rotateMasterKeyCommand(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  output: CommandOutput,
): Promise<number> {
  return runCommand(args, USAGE, output, () => {
    const file = keyFileOf(args);
    return () => rotate(file, environment);
  });
}

/** The path of the new key; null: the rotation is to be finished. */
function keyFileOf(args: readonly string[]): string | null {
  const options = { finish: { type: 'boolean' } } as const;
  const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [file, ...more] = positionals;
  const isFinish = values.finish === true;
  if ((file === undefined) !== isFinish || more.length > 0) throw new Error('expected either one FILE or --finish');
  return file === undefined ? null : resolve(file);
}

async function rotate(file: string | null, environment: NodeJS.ProcessEnv): Promise<string> {
  const configuration = loadConfiguration(environment);
  const { database, isHeld } = await openDatabaseOrGuest(configuration);
  try {
    const repositories = createRepositories(database);
    const options = {
      keyring: await databaseSecrets(configuration, repositories),
      repositories,
      values: createSealedValueRepository(database),
      runningNodes: async () => (database.kind === 'postgres' ? repositories.nodes.alive() : isHeld ? [''] : []),
      sleep: (ms: number) => new Promise<void>((done) => setTimeout(done, ms)),
    };
    if (file === null) return `${countsText(await finishRotation(options))}The rotation is finished.\n`;
    const counts = await rotateMasterKey(options, await keyInFile(file));
    return (
      `${countsText(counts)}The new key is in ${file}. Set TRUNKLINE_MASTER_KEY to it, or put it in place of DATA_DIR/master.key, for every ` +
      'process; restart them; then run: trunkline rotate-master-key --finish\n'
    );
  } finally {
    await database.close();
  }
}

function countsText({ resealed, unreadable }: RotationCounts): string {
  const lost = unreadable === 0 ? '' : `, ${unreadable} that no key opens were left as they are`;
  return `${resealed} stored values encrypted with the new key${lost}.\n`;
}
