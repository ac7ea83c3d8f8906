#!/usr/bin/env node
import { withoutArguments } from './cli/commands/help.ts';

const USAGE = `trunkline: conversational agents on your own SIP trunks

  trunkline start                        run the service; its settings come from the environment (see .env.example)
  trunkline chat FILE                    talk to an agent (the JSON of POST /v1/agents) in the terminal
  trunkline test FILE…                   run conversations that are written down as tests (YAML)
  trunkline replay DIR…                  run recorded calls again, and tell what differs
  trunkline tape export CALL_ID [DIR]    copy the tape of a call out of the service's data
  trunkline doctor                       look at ports, database, providers' keys and trunks, and say what to do
  trunkline keys …                       create, list and revoke API keys, also while the service runs

«trunkline COMMAND --help» tells more about one.
`;
const START_USAGE = `trunkline start

  Runs the service. Its settings are environment variables, each with its default in .env.example. Faults of them are told,
  one a line, and nothing starts. SIGTERM lets calls end for 30 s, SIGINT ends them, SIGHUP reads the certificates anew.
`;
const DOCTOR_USAGE = `trunkline doctor

  Looks at settings, ports, database, providers' keys and trunks, beside a running service too, and changes nothing. Below
  each finding stands what to do.

  Exit status: 0 no fault, 1 at least one.
`;

/** Whoever read the output is gone (`| head`): nobody is left to talk to. */
function endWithReader(): void {
  process.stdout.on('error', () => process.exit(1));
}

// Each command loads its own parts: the service's are of no use to the others, and take most of the time of a start.
const [command, ...rest] = process.argv.slice(2);
switch (command) {
  case 'start': {
    const refused = withoutArguments(rest, START_USAGE, process);
    if (refused !== null) {
      process.exitCode = refused;
      break;
    }
    const { startCommand } = await import('./cli/commands/start.ts');
    await startCommand(process.env);
    break;
  }
  case 'chat': {
    endWithReader();
    const { chatCommand } = await import('./cli/commands/chat.ts');
    process.exitCode = await chatCommand(rest, process.env, process);
    break;
  }
  case 'test': {
    endWithReader();
    const { testCommand } = await import('./cli/commands/test.ts');
    process.exitCode = await testCommand(rest, process.env, process.stdout);
    break;
  }
  case 'replay': {
    endWithReader();
    const { replayCommand } = await import('./cli/commands/replay.ts');
    process.exitCode = await replayCommand(rest, process.stdout);
    break;
  }
  case 'tape': {
    const { tapeCommand } = await import('./cli/commands/tape-export.ts');
    process.exitCode = await tapeCommand(rest, process.env, process.stdout);
    break;
  }
  case 'doctor': {
    endWithReader();
    const refused = withoutArguments(rest, DOCTOR_USAGE, process);
    if (refused !== null) {
      process.exitCode = refused;
      break;
    }
    const { doctorCommand } = await import('./cli/commands/doctor.ts');
    process.exitCode = await doctorCommand(process.env, process.stdout);
    break;
  }
  case 'keys': {
    endWithReader();
    const { keysCommand } = await import('./cli/commands/keys.ts');
    process.exitCode = await keysCommand(rest, process.env, process);
    break;
  }
  case undefined:
  case 'help':
  case '--help':
  case '-h':
    process.stdout.write(USAGE);
    break;
  default:
    process.stderr.write(`there is no command ${command}\n\n${USAGE}`);
    process.exitCode = 2;
}
