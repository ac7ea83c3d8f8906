#!/usr/bin/env node
import { chatCommand } from './commands/chat.ts';
import { replayCommand } from './commands/replay.ts';
import { startCommand } from './commands/start.ts';
import { testCommand } from './commands/test.ts';

const USAGE = `trunkline: conversational agents on your own SIP trunks

  trunkline start          run the service; its settings come from the environment (see .env.example)
  trunkline chat FILE      talk to an agent (the JSON of POST /v1/agents) in the terminal, without telephony
  trunkline test FILE…     run conversations that are written down as tests (YAML)
  trunkline replay DIR…    feed recorded calls to the engine again and compare every command
`;

const [command, ...rest] = process.argv.slice(2);
switch (command) {
  case 'start':
    await startCommand(process.env);
    break;
  case 'chat':
    process.exitCode = await chatCommand(rest, process.env, process);
    break;
  case 'test':
    process.exitCode = await testCommand(rest, process.env, process.stdout);
    break;
  case 'replay':
    process.exitCode = await replayCommand(rest, process.stdout);
    break;
  default:
    process.stderr.write(USAGE);
    process.exitCode = command === undefined || command === 'help' || command === '--help' ? 0 : 2;
}
