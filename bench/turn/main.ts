import { parseArgs } from 'node:util';
import { percentilesOf } from '../percentiles.ts';
import { Report } from '../report.ts';
import { BenchProcess } from '../rig/bench-process.ts';
import { modelRequestsATurn } from '../rig/model-requests.ts';
import type { ProviderTurn } from '../rig/process-messages.ts';
import { ADMISSION_LATENESS_MS, type RigResult, type RunningService, runRig } from '../rig/rig.ts';
import { stagesOf, type TurnStages } from '../rig/turn-stages.ts';

/**
 * The time that Trunkline adds to a turn, at 1, 50 and 200 simultaneous calls, compared with bare connections to the same
 * providers in the same run.
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
/** Turns per call: with one call, and with more. */
const TURNS_ALONE = values.short ? 8 : 20;
const TURNS = values.short ? 4 : 8;
/** Duration of one turn of the script with its pauses. The calls start spread over it, so that they do not speak in step. */
const TURN_MS = 3_000;

/** The stages and the limits of their medians, ms. */
const STAGES: readonly { readonly key: keyof TurnStages; readonly name: string; readonly markMs: number | null }[] = [
  { key: 'toTranscriber', name: "caller's last sample → transcriber", markMs: 5 },
  { key: 'toModel', name: 'turn end → model request', markMs: 2 },
  { key: 'toVoice', name: 'first sentence → voice request', markMs: 1 },
  { key: 'toWire', name: 'first voice byte → packet on the wire', markMs: 25 },
  { key: 'ours', name: 'all four of a turn', markMs: null },
];

/** Calls with this number and above are rounds of the bare connections. */
const FIRST_BARE_CALL = 50_000;

const report = new Report('turn');
const details: object[] = [];
for (const calls of values.calls.split(',').map(Number)) {
  const result = await runRig({
    script: 'turn',
    turns: calls === 1 ? TURNS_ALONE : TURNS,
    calls,
    spreadMs: TURN_MS,
    writes: false,
    duringCalls: runBare,
    ...(values.profile !== undefined && { profileTo: values.profile }),
  });
  details.push(addResult(calls, result));
}
report.note('Marks are limits of the median. The last row of each group is the sum of the four, turn by turn.');
report.note(`ADMISSION_LATENESS_MS=${ADMISSION_LATENESS_MS}: no call is refused for a late packet.`);
await report.finish(details);

async function runBare({ providersOrigin, callsEnded }: RunningService): Promise<void> {
  const env = { BENCH_PROVIDERS: providersOrigin, BENCH_FIRST_CALL: String(FIRST_BARE_CALL) };
  const bare = new BenchProcess(new URL('./bare-connections.ts', import.meta.url), { env });
  await callsEnded;
  if (bare.process.exitCode !== null) throw new Error('the bare connections ended before the calls');
  await bare.end();
}

function addResult(calls: number, result: RigResult): object {
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
    const bare = bareP50(key, result.providerTurns);
    const bareColumns = {
      'bare p50 ms': bare === null ? '' : bare.toFixed(2),
      '× bare': bare === null ? '' : (p50 / bare).toFixed(1),
    };
    report.add({ calls, stage: name, turns: count, ...figures, ...bareColumns, 'mark ms': mark, reached });
  }
  const { service, providers, callers } = result;
  const { made } = modelRequestsATurn(result);
  const faults = [...result.faults].filter(([, fault]) => fault !== null);
  const share = (value: number) => `${(value * 100).toFixed(0)} %`;
  report.note(
    `${calls} calls: service ${share(service.processShare)} of a core (main thread ${share(service.mainShare)}, waiting for a core ${share(service.coreWaitShare)}, longest stall ${service.longestStallMs.toFixed(1)} ms), ` +
      `providers ${share(providers.processShare)} (loop p99 ${providers.loopP99Ms.toFixed(1)} ms), callers ${share(callers.load.processShare)} (loop p99 ${callers.load.loopP99Ms.toFixed(1)} ms), ` +
      `${made.toFixed(2)} model requests a turn, everything else on the machine ${share(result.otherLoadShare)}, ${missing} turns not measured completely, ${faults.length} calls with a fault${faults[0] === undefined ? '' : ` (first: ${faults[0][1]})`}.`,
  );
  return {
    calls,
    windowMs: result.windowMs,
    neighbourShare: result.otherLoadShare,
    service,
    providers,
    callers: { ...callers, turns: [] },
    missing,
    faults,
    providerFaults: result.providerFaults,
    stages,
  };
}

/** Median of a stage on the bare connections; null for a stage that they do not have. */
function bareP50(key: keyof TurnStages, turns: readonly ProviderTurn[]): number | null {
  const bare = turns.filter(({ call, voiceRequestMs }) => call >= FIRST_BARE_CALL && Number.isFinite(voiceRequestMs));
  switch (key) {
    case 'toModel':
      return percentilesOf(bare.map(({ modelRequestMs, finalMs }) => modelRequestMs - finalMs)).p50;
    case 'toVoice':
      return percentilesOf(bare.map(({ voiceRequestMs, sentenceMs }) => voiceRequestMs - sentenceMs)).p50;
    default:
      return null;
  }
}
