import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectedOf } from '../../fixtures/booking/expected.ts';
import { BOOKING, runBooking } from '../../fixtures/booking/record.ts';
import { createTerminal } from './terminal.ts';

/** The demo's tape through the engine alone, on the simulated clock; answers whether the call went as it must. */
export async function fastDemo(): Promise<boolean> {
  const terminal = createTerminal();
  const startedAt = performance.now();
  const call = await runBooking();
  const tookMs = performance.now() - startedAt;
  const happened = expectedOf(call);
  terminal.start(0);
  for (const entry of happened.transcript) {
    const { role, content, startMs } = entry;
    if (role === 'user') terminal.line('caller', 'caller', content, startMs);
    else if (role === 'agent')
      terminal.line(entry.interrupted ? 'bad' : 'agent', entry.interrupted ? 'interrupted' : 'agent', content, startMs);
    else if (role === 'state_transition') terminal.line('state', 'state', `${entry.from} → ${entry.to}`, startMs);
    else
      terminal.line(
        'tool',
        role === 'tool_call' ? 'tool' : 'tool says',
        role === 'tool_call' ? entry.name : content,
        startMs,
      );
  }
  for (const [name, value] of Object.entries(happened.variables))
    terminal.line('value', 'variable', `${name} = ${JSON.stringify(value)}`);
  const expected: unknown = JSON.parse(readFileSync(join(BOOKING, 'expected.json'), 'utf8'));
  const same = JSON.stringify(expected) === JSON.stringify(JSON.parse(JSON.stringify(happened)));
  const speed = Math.round(happened.duration_ms / tookMs);
  terminal.plain(
    `\n${(happened.duration_ms / 1000).toFixed(1)} s of call in ${Math.round(tookMs)} ms: ${speed} times real time`,
  );
  terminal.plain(same ? 'The call went as it must.' : 'The call did not go as expected.json has it.');
  return same;
}
