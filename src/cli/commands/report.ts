import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { printableLines } from '../../../base/text/printable.ts';
import { loadConfiguration } from '../../configuration/configuration.ts';
import { CONFIGURATION_VARIABLES } from '../../configuration/variables.ts';
import { readStoredCall } from '../explain/stored-call.ts';
import { packageVersion } from '../files/package-version.ts';
import { readStoredTape } from '../files/stored-tape.ts';
import { callReport } from '../report/call-report.ts';
import { secretsOf } from '../report/report-mask.ts';
import { serviceLadder } from '../report/service-ladder.ts';
import { shownSettings } from '../report/shown-settings.ts';
import { asksForHelp } from './help.ts';
import { CALL_ID } from './tape-export.ts';

const REPORT_USAGE = `trunkline report CALL_ID [FILE]

  Writes what is known of a call into one JSON file for a bug report (default: ./report-CALL_ID.json, which must not exist):
  versions, settings, the call with its turns, timeline, RTP statistics and usage, the SIP messages if the service runs,
  and the tape if there is one. «trunkline replay FILE» replays it.
  Phone numbers, digits that were said, credentials and keys are masked, audio is left out. Names and other words of the
  conversation stay: read the file before you send it.

  Exit status: 0 written, 1 no such call, 2 wrong usage.
`;

interface Output {
  write(text: string): unknown;
}

/** `trunkline report CALL_ID [FILE]`: resolves to the exit status of the usage. */
export async function reportCommand(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  out: Output,
): Promise<number> {
  const [callId, file, ...more] = args;
  if (asksForHelp(args)) {
    out.write(REPORT_USAGE);
    return 0;
  }
  if (callId === undefined || !CALL_ID.test(callId) || more.length > 0) {
    out.write(REPORT_USAGE);
    return 2;
  }
  try {
    const target = resolve(file ?? `report-${callId.toLowerCase()}.json`);
    const report = await reportOf(callId.toLowerCase(), environment);
    await writeFile(target, `${JSON.stringify(report, null, 1)}\n`, { flag: 'wx', mode: 0o600 });
    const missing = Object.entries(report.missing).map(([part, why]) => `without ${part}: ${why}\n`);
    out.write(printableLines([`${target}\n`, ...missing].join('')));
    return 0;
  } catch (error) {
    out.write(`${printableLines(error instanceof Error ? error.message : String(error))}\n`);
    return 1;
  }
}

async function reportOf(callId: string, environment: NodeJS.ProcessEnv) {
  const configuration = loadConfiguration(environment);
  const stored = await readStoredCall(configuration, callId);
  return callReport({
    stored,
    tape: await readStoredTape(configuration, callId),
    ladder: await serviceLadder(configuration, callId),
    versions: {
      trunkline: packageVersion(),
      node: process.version,
      system: `${process.platform} ${process.arch}`,
      database: configuration.databaseUrl === null ? 'sqlite' : 'postgres',
    },
    settings: shownSettings(environment, CONFIGURATION_VARIABLES),
    secrets: secretsOf(environment),
  });
}
