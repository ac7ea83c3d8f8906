import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { compileAgent } from '../../engine/session/machine/compile-agent.ts';
import { initialCallState, processInboxEntry } from '../../engine/session/process-inbox-entry.ts';
import { notifyParent } from '../rig/parent-channel.ts';
import { recordedCalls } from './recorded-calls.ts';

/**
 * Replays the recorded calls, and measures what the engine allocates. The parent starts this process without the optimizing compiler,
 * which removes allocations at unpredictable times, and with a young generation that needs no collection during the measurement.
 */
export interface EngineAllocations {
  readonly type: 'measured';
  readonly events: number;
  readonly commands: number;
  readonly bytes: number;
}

/** Until caches such as those of regular expressions are filled. */
const WARM_UP_RUNS = 3;

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');
const calls = recordedCalls().map(({ agent, tape }) => ({ compiled: compileAgent(agent), tape }));

function replay(): { readonly events: number; readonly commands: number } {
  let events = 0;
  let commands = 0;
  for (const { compiled, tape } of calls) {
    let state = initialCallState(compiled, tape.header.parameters);
    for (const entry of tape.entries) {
      const step = processInboxEntry(state, entry);
      state = step.state;
      events += 1;
      commands += step.commands.length;
    }
  }
  return { events, commands };
}

for (let run = 0; run < WARM_UP_RUNS; run++) replay();
collect();
const before = process.memoryUsage().heapUsed;
const { commands, events } = replay();
const bytes = process.memoryUsage().heapUsed - before;
notifyParent<EngineAllocations>({ type: 'measured', events, commands, bytes });
