import { parseArgs } from 'node:util';
import { percentilesOf } from '../percentiles.ts';
import { Report } from '../report.ts';
import { ADMISSION_LATENESS_MS, type RigResult, runRig } from '../rig/rig.ts';
import { stagesOf, type TurnStages } from '../rig/stages.ts';

/**
 * What the runtime adds to a turn, at 1, 50 and 200 calls at once.
 *
 *     node bench/turn/main.ts [--short] [--calls 1,50,200] [--profile DIR]
 */
const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    calls: { type: 'string', default: '1,50,200' },
    profile: { type: 'string' },
  },
});
/** Turns of one call at 1, and at more calls. */
const TURNS_ALONE = values.short ? 8 : 20;
const TURNS = values.short ? 4 : 8;
/** One turn of the script with its pauses; the calls are spread over it, so that they do not speak in chorus. */
const TURN_MS = 3_000;

/** The marks: medians, in ms. */
const STAGES: readonly { readonly key: keyof TurnStages; readonly name: string; readonly markMs: number | null }[] = [
  { key: 'toTranscriber', name: "caller's last sample → transcriber", markMs: 5 },
  { key: 'toModel', name: 'turn end → model request', markMs: 2 },
  { key: 'toVoice', name: 'first sentence → voice request', markMs: 2 },
  { key: 'toWire', name: 'first voice byte → packet on the wire', markMs: 25 },
  { key: 'ours', name: 'all four of a turn', markMs: null },
];

const report = new Report('turn');
const details: object[] = [];
for (const calls of values.calls.split(',').map(Number)) {
  const result = await runRig({
    script: 'turn',
    turns: calls === 1 ? TURNS_ALONE : TURNS,
    calls,
    spreadMs: TURN_MS,
    writes: false,
    ...(values.profile !== undefined && { profileTo: values.profile }),
  });
  details.push(tell(calls, result));
}
report.note(
  'Marks are for the median. The last row of each group is the sum, turn by turn: our whole share of the answer.',
);
report.note(`ADMISSION_LATENESS_MS=${ADMISSION_LATENESS_MS}: no call is refused for a late packet.`);
await report.finish(details);

function tell(calls: number, result: RigResult): object {
  const { stages, missing } = stagesOf(result.callers.turns, result.providerTurns);
  for (const { key, name, markMs } of STAGES) {
    const { count, p50, p95, p99, max } = percentilesOf(stages.map((stage) => stage[key]));
    const mark = markMs === null ? '' : `${markMs}`;
    const reached = markMs === null ? '' : p50 <= markMs ? 'yes' : 'no';
    const figures = {
      'p50 ms': p50.toFixed(2),
      'p95 ms': p95.toFixed(2),
      'p99 ms': p99.toFixed(2),
      'max ms': max.toFixed(1),
    };
    report.add({ calls, stage: name, turns: count, ...figures, 'mark ms': mark, reached });
  }
  const { service, providers, callers } = result;
  const faults = [...result.faults].filter(([, fault]) => fault !== null);
  const share = (value: number) => `${(value * 100).toFixed(0)} %`;
  report.note(
    `${calls} calls: service ${share(service.processShare)} of a core (main thread ${share(service.mainShare)}, waiting for a core ${share(service.coreWaitShare)}, longest stall ${service.longestStallMs.toFixed(1)} ms), ` +
      `providers ${share(providers.processShare)} (loop p99 ${providers.loopP99Ms.toFixed(1)} ms), callers ${share(callers.load.processShare)} (loop p99 ${callers.load.loopP99Ms.toFixed(1)} ms), ` +
      `everything else on the machine ${share(result.neighbourShare)}, ${missing} turns not seen whole, ${faults.length} calls with a fault${faults[0] === undefined ? '' : ` (first: ${faults[0][1]})`}.`,
  );
  return {
    calls,
    windowMs: result.windowMs,
    neighbourShare: result.neighbourShare,
    service,
    providers,
    callers: { ...callers, turns: [] },
    missing,
    faults,
    providerFaults: result.providerFaults,
    stages,
  };
}
