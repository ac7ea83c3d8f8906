import type { Clock } from '../../base/time/clock.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Log } from '../log/log.ts';
import { type Database, openDatabase, openLeaseDatabase } from '../storage/database/database.ts';
import { createRepositories } from '../storage/repositories.ts';
import type { ThisNode } from './node.ts';
import { takeNodeIdentity } from './node-identity.ts';
import { SharingNode } from './sharing-node.ts';
import { takeNodeLease } from './take-node-lease.ts';

/** Opens the database and, on PostgreSQL, acquires the lease of this node. Rejects if either fails, also if another process holds it. */
export async function openNode(
  configuration: Pick<Configuration, 'dataDir' | 'databaseUrl'>,
  clock: Clock,
  log: Pick<Log, 'warn' | 'error'>,
): Promise<ThisNode> {
  const { databaseUrl, dataDir } = configuration;
  if (databaseUrl === null) return singleNode(await openDatabase({ dataDir }));
  const identity = await takeNodeIdentity(dataDir);
  const opened: Database[] = [];
  try {
    const database = await openDatabase(configuration);
    opened.push(database);
    const leaseDatabase = await openLeaseDatabase(databaseUrl);
    opened.push(leaseDatabase);
    const node = new SharingNode(identity, { database, leaseDatabase, url: databaseUrl }, clock, log);
    await takeNodeLease(identity, node.repositories.nodes, clock);
    return node;
  } catch (error) {
    for (const database of opened) await database.close();
    identity.close();
    throw error;
  }
}

function singleNode(database: Database): ThisNode {
  return {
    id: null,
    database,
    repositories: createRepositories(database),
    holdsLease: () => true,
    leads: () => true,
    isAlone: async () => true,
    trunkUsage: { ofOthers: () => 0, reportCalls: () => {} },
    join: async () => {},
    notifyStored: () => {},
    notifyTrunks: () => {},
    endElsewhere: async () => 'not_elsewhere',
    postElsewhere: async () => 'not_in_progress',
    traceElsewhere: async () => null,
    askOthers: async () => [],
    answer: () => {},
    reportsOfOthers: async () => [],
    reportSoon: () => {},
    resign: async () => {},
    close: () => database.close(),
  };
}
