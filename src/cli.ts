#!/usr/bin/env node
import { replayCommand } from './commands/replay.ts';
import { startCommand } from './commands/start.ts';

const USAGE = `trunkline: conversational agents on your own SIP trunks

  trunkline start          run the service; its settings come from the environment (see .env.example)
  trunkline replay DIR…    feed recorded calls to the engine again and compare every command
`;

const [command, ...rest] = process.argv.slice(2);
switch (command) {
  case 'start':
    await startCommand(process.env);
    break;
  case 'replay':
    process.exitCode = await replayCommand(rest, process.stdout);
    break;
  default:
    process.stderr.write(USAGE);
    process.exitCode = command === undefined || command === 'help' || command === '--help' ? 0 : 2;
}
