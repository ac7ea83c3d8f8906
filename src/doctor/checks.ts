import { readPriceTable } from '../calls/usage/price-table.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { checkEmbedder } from './embedder.ts';
import { checkEndOfTurnModel } from './end-of-turn-model.ts';
import { type Finding, fault, fine, messageOf } from './finding.ts';
import { checkMasterKey } from './master-key.ts';
import { checkObjectStore } from './object-store.ts';
import { checkPorts } from './ports.ts';
import { checkProviders } from './providers.ts';
import { checkStorage } from './storage.ts';
import { checkTrunks } from './trunks.ts';

export interface CheckOptions {
  /** The service runs, and occupies its ports. */
  readonly isRunning: boolean;
  /** Ends the checks of trunks, which may be many. Every other check takes some seconds at most. */
  readonly signal?: AbortSignal;
  readonly report: (findings: readonly Finding[]) => void;
}

/**
 * Checks everything that a start and a call need, with valid settings. It leaves nothing changed: it stores one object in the bucket of
 * `STORAGE_URL` and deletes it. It sends one request to each provider with a key, two to the embedding model, and OPTIONS to every trunk
 * of every organization.
 */
export async function runChecks(
  configuration: Configuration,
  { isRunning, report, signal }: CheckOptions,
): Promise<void> {
  report([fine('settings', 'all variables are valid'), ...checkPrices(configuration)]);
  report(await checkPorts(configuration, isRunning));
  const { database, findings } = await checkStorage(configuration);
  report(findings);
  try {
    report(await checkObjectStore(configuration));
    report(await checkMasterKey(configuration, database));
    report(await checkProviders(configuration));
    report(await checkEmbedder(configuration));
    report(await checkEndOfTurnModel(configuration));
    report(await checkTrunks(database, configuration.sip.tls, signal));
  } finally {
    await database?.close();
  }
}

function checkPrices({ pricesFile }: Configuration): readonly Finding[] {
  if (pricesFile === null) return [];
  try {
    readPriceTable(pricesFile);
    return [fine('prices', `${pricesFile} is a valid price file`)];
  } catch (error) {
    return [fault('prices', messageOf(error), 'see docs/providers.md for the format')];
  }
}
