import { printUsageIfArguments } from './cli/commands/help.ts';
import { type EnvironmentFile, readEnvironmentFile } from './cli/files/environment-file.ts';
import { nearestName } from './configuration/nearest-name.ts';

const USAGE = `trunkline: conversational agents on your own SIP trunks

  trunkline start                        run the service; settings: environment or .env (see .env.example)
  trunkline chat FILE                    talk to an agent (the JSON of POST /v1/agents) in the terminal
  trunkline test FILE…                   run conversation tests from YAML files
  trunkline replay DIR…                  replay recorded calls and show the differences
  trunkline explain CALL_ID|DIR          say why a call was silent: each silence, its cause, the evidence
  trunkline report CALL_ID [FILE]        write what is known of a call into one file for a bug report, numbers masked
  trunkline tape export CALL_ID [DIR]    copy the tape of a call from DATA_DIR
  trunkline doctor                       check settings, ports, database, provider keys and trunks
  trunkline keys …                       create, list and revoke API keys, also while the service is running
  trunkline backup FILE                  write database and recordings into one file, also while the service is running
  trunkline restore FILE                 fill an empty DATA_DIR or PostgreSQL database from a backup
  trunkline rotate-master-key FILE       encrypt stored secrets with a new master key, while services run

Run «trunkline COMMAND --help» for details, «trunkline --version» for the version.
`;
const COMMANDS = [
  'start',
  'chat',
  'test',
  'replay',
  'explain',
  'report',
  'tape',
  'doctor',
  'keys',
  'backup',
  'restore',
  'rotate-master-key',
  'help',
];
const START_USAGE = `trunkline start

  Runs the service. Settings are environment variables, also from the file .env of the working directory; .env.example
  lists them with their defaults. All problems that prevent the start are printed at once, one a line.

  Signals: SIGTERM waits up to DRAIN_SECONDS (30) for calls to end, SIGINT ends them at once, SIGHUP reloads the TLS certificates.
`;
const DOCTOR_USAGE = `trunkline doctor

  Checks settings, ports, database, provider keys and trunks, and suggests a remedy for each problem. It changes nothing
  and can run beside the service.

  Exit status: 0 no failed check, 1 at least one.
`;

function environmentFileOrExit(): EnvironmentFile | null {
  try {
    return readEnvironmentFile(process.cwd());
  } catch (error) {
    process.stderr.write(`cannot read .env: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

/** Names the command that `wrong` probably stands for. */
function hint(wrong: string): string {
  const nearest = nearestName(wrong, COMMANDS);
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}

/** Exits when the reader of the output closes it, as with `| head`. */
function endWithReader(): void {
  process.stdout.on('error', () => process.exit(1));
}

const environmentFile = environmentFileOrExit();
/** A variable of the process wins over the file. */
const environment = { ...environmentFile?.variables, ...process.env };

// Each command loads its own modules, because loading those of the service takes most of the start time.
const [command, ...rest] = process.argv.slice(2);
switch (command) {
  case 'start': {
    const exitStatus = printUsageIfArguments(rest, START_USAGE, process);
    if (exitStatus !== null) {
      process.exitCode = exitStatus;
      break;
    }
    const { startCommand } = await import('./cli/commands/start.ts');
    await startCommand(environment, environmentFile);
    break;
  }
  case 'chat': {
    endWithReader();
    const { chatCommand } = await import('./cli/commands/chat.ts');
    process.exitCode = await chatCommand(rest, environment, process);
    break;
  }
  case 'test': {
    endWithReader();
    const { testCommand } = await import('./cli/commands/test.ts');
    process.exitCode = await testCommand(rest, environment, process.stdout);
    break;
  }
  case 'replay': {
    endWithReader();
    const { replayCommand } = await import('./cli/commands/replay.ts');
    process.exitCode = await replayCommand(rest, process.stdout);
    break;
  }
  case 'explain': {
    endWithReader();
    const { explainCommand } = await import('./cli/commands/explain.ts');
    process.exitCode = await explainCommand(rest, environment, process.stdout);
    break;
  }
  case 'report': {
    const { reportCommand } = await import('./cli/commands/report.ts');
    process.exitCode = await reportCommand(rest, environment, process.stdout);
    break;
  }
  case 'tape': {
    const { tapeCommand } = await import('./cli/commands/tape-export.ts');
    process.exitCode = await tapeCommand(rest, environment, process.stdout);
    break;
  }
  case 'doctor': {
    endWithReader();
    const exitStatus = printUsageIfArguments(rest, DOCTOR_USAGE, process);
    if (exitStatus !== null) {
      process.exitCode = exitStatus;
      break;
    }
    const { doctorCommand } = await import('./cli/commands/doctor.ts');
    process.exitCode = await doctorCommand(environment, process.stdout);
    break;
  }
  case 'keys': {
    endWithReader();
    const { keysCommand } = await import('./cli/commands/keys.ts');
    process.exitCode = await keysCommand(rest, environment, process);
    break;
  }
  case 'backup': {
    const { backupCommand } = await import('./cli/commands/backup.ts');
    process.exitCode = await backupCommand(rest, environment, process);
    break;
  }
  case 'restore': {
    const { restoreCommand } = await import('./cli/commands/backup.ts');
    process.exitCode = await restoreCommand(rest, environment, process);
    break;
  }
  case 'rotate-master-key': {
    const { rotateMasterKeyCommand } = await import('./cli/commands/rotate-master-key.ts');
    process.exitCode = await rotateMasterKeyCommand(rest, environment, process);
    break;
  }
  case undefined:
  case 'help':
  case '--help':
  case '-h':
    process.stdout.write(USAGE);
    break;
  case '--version':
  case '-V': {
    const { packageVersion } = await import('./cli/files/package-version.ts');
    process.stdout.write(`${packageVersion()}\n`);
    break;
  }
  default:
    process.stderr.write(`unknown command: ${command}${hint(command)}\n\n${USAGE}`);
    process.exitCode = 2;
}
