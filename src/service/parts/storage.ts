import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SYSTEM_CLOCK } from '../../../base/time/system-clock.ts';
import type { ThisNode } from '../../cluster/node.ts';
import { openNode } from '../../cluster/open-node.ts';
import { meteredRepositories } from '../../observability/metrics/metered-repositories.ts';
import { setEnvironmentKey } from '../../secrets/api-key.ts';
import { databaseSecrets } from '../../secrets/master-key.ts';
import { MasterKeyWatch, type MasterKeyWatchOptions } from '../../secrets/master-key-watch.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { Repositories } from '../../storage/repositories.ts';
import type { PartContext } from '../lifecycle/part-context.ts';

export interface Storage {
  readonly node: ThisNode;
  readonly repositories: Repositories;
  readonly secrets: Secrets;
}

/** The database, this node's place among others, and the master key that fits the database. */
export async function startStorage({ clock, configuration, lifecycle, log, metrics }: PartContext): Promise<Storage> {
  await mkdir(join(configuration.dataDir, 'recordings'), { recursive: true, mode: 0o700 });
  const node = await lifecycle.start(
    'database',
    () => openNode(configuration, SYSTEM_CLOCK, log),
    (opened) => opened.close(),
  );
  const repositories = meteredRepositories(node.repositories, metrics);
  const secrets = await databaseSecrets(configuration, repositories);
  await lifecycle.start(
    'master key',
    () => startWatch({ keyring: secrets, nodeId: node.id ?? '', repositories, clock, log }),
    (watch) => watch.stop(),
  );
  await setEnvironmentKey(repositories.organizations, configuration.apiKey, clock.wallMs());
  return { node, repositories, secrets };
}

function startWatch(options: MasterKeyWatchOptions): MasterKeyWatch {
  const watch = new MasterKeyWatch(options);
  watch.start();
  return watch;
}
