import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutcomeEntry } from '../../engine/tape/call-outcome.ts';
import { reSimulate } from '../../engine/tape/re-simulation/re-simulation.ts';
import { readTapeFolder } from '../../src/cli/files/tape-folder.ts';
import { tapeProviders } from '../../src/cli/files/tape-provider.ts';
import { TAPE_DIR } from './live-demo.ts';
import { createTerminal, type Terminal } from './terminal.ts';

/** Runs the demo's tape through the engine on the simulated clock; returns whether the call had no faults. */
export async function fastDemo(): Promise<boolean> {
  const terminal = createTerminal();
  const tape = await readTapeFolder(TAPE_DIR);
  const startedAt = performance.now();
  const { simulated, differences } = reSimulate(tape.agent, tape, tapeProviders);
  const tookMs = performance.now() - startedAt;
  terminal.start(0);
  for (const line of simulated.transcript) showEntry(terminal, line);
  for (const { name, value } of simulated.variables)
    terminal.line('value', 'variable', `${name} = ${JSON.stringify(value)}`);
  const expected: unknown = JSON.parse(await readFile(join(TAPE_DIR, 'expected.json'), 'utf8'));
  const same =
    differences.length === 0 && JSON.stringify(expected) === JSON.stringify(JSON.parse(JSON.stringify(simulated)));
  const speed = Math.round(simulated.durationMs / tookMs);
  terminal.plain(
    `\n${(simulated.durationMs / 1000).toFixed(1)} s of call in ${Math.round(tookMs)} ms: ${speed} times real time`,
  );
  terminal.plain(same ? 'The call went as it must.' : 'The call did not go as expected.json has it.');
  return same;
}

function showEntry(terminal: Terminal, line: OutcomeEntry): void {
  const { content, startMs } = line;
  switch (line.role) {
    case 'user':
    case 'dtmf':
      terminal.line('caller', 'caller', content, startMs);
      break;
    case 'agent':
      terminal.line(line.interrupted ? 'bad' : 'agent', line.interrupted ? 'interrupted' : 'agent', content, startMs);
      break;
    case 'state_transition':
      terminal.line('state', 'state', `${line.from} → ${line.to}`, startMs);
      break;
    case 'tool_call':
      terminal.line('tool', 'tool', line.name, startMs);
      break;
    case 'tool_response':
      terminal.line('tool', 'tool says', content, startMs);
      break;
  }
}
