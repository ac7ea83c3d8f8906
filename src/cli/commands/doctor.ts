import { printable } from '../../../base/text/printable.ts';
import { type Configuration, loadConfiguration } from '../../configuration/configuration.ts';
import { ConfigurationError } from '../../configuration/configuration-error.ts';
import { runChecks } from '../../doctor/checks.ts';
import { type Finding, fault } from '../../doctor/finding.ts';
import { isServiceRunning } from '../../doctor/ports.ts';

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
  await runChecks(configuration, { isRunning: await isServiceRunning(configuration), report });
  return faults === 0 ? 0 : 1;
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
