import { printable } from '../../../base/text/printable.ts';
import { readPriceTable } from '../../calls/usage/price-table.ts';
import { type Configuration, loadConfiguration } from '../../configuration/configuration.ts';
import { ConfigurationError } from '../../configuration/configuration-error.ts';
import { checkEmbedder } from '../doctor/embedder.ts';
import { type Finding, fault, fine, messageOf } from '../doctor/finding.ts';
import { checkMasterKey } from '../doctor/master-key.ts';
import { checkPorts, isServiceRunning } from '../doctor/ports.ts';
import { checkProviders } from '../doctor/providers.ts';
import { checkStorage } from '../doctor/storage.ts';
import { checkTrunks } from '../doctor/trunks.ts';

const MARKS = { ok: 'ok  ', warning: 'warn', fault: 'FAIL' } as const;

/**
 * `trunkline doctor`: checks everything that a start and a call need. It changes nothing and can run beside the service. Prints one line
 * per finding and its remedy below. Resolves to the exit status: 1 if a check failed.
 */
export async function doctorCommand(
  environment: NodeJS.ProcessEnv,
  out: { write(text: string): unknown },
): Promise<number> {
  let faults = 0;
  const report = (findings: readonly Finding[]) => {
    for (const { verdict, subject, text, remedy } of findings) {
      if (verdict === 'fault') faults += 1;
      out.write(`${MARKS[verdict]}  ${printable(`${subject}: ${text}`)}\n`);
      if (remedy !== undefined) out.write(`      → ${printable(remedy)}\n`);
    }
  };
  const configuration = read(environment, report);
  if (configuration === null) return 1;
  report([fine('settings', 'all variables are valid'), ...checkPrices(configuration)]);
  report(await checkPorts(configuration, await isServiceRunning(configuration)));
  const { database, findings } = await checkStorage(configuration);
  report(findings);
  try {
    report(await checkMasterKey(configuration, database));
    report(await checkProviders(configuration));
    report(await checkEmbedder(configuration));
    report(await checkTrunks(database));
  } finally {
    await database?.close();
  }
  return faults === 0 ? 0 : 1;
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

function read(environment: NodeJS.ProcessEnv, report: (findings: readonly Finding[]) => void): Configuration | null {
  try {
    return loadConfiguration(environment);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    report(
      error.problems.map(({ variable, expected }) =>
        fault('settings', `${variable} is not valid`, `set ${variable} to ${expected}`),
      ),
    );
    return null;
  }
}
