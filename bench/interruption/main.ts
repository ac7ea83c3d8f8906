import { parseArgs } from 'node:util';
import { percentilesOf } from '../percentiles.ts';
import { Report } from '../report.ts';
import { ADMISSION_LATENESS_MS, type RigResult, runRig } from '../rig/rig.ts';

/**
 * The time until an interrupted agent is silent, at 1, 50 and 200 simultaneous calls. The transcriber reports the word that
 * confirms the interruption while the caller sends silence, so no voice activity pauses playback earlier.
 *
 *     node bench/interruption/main.ts [--short] [--calls 1,50,200]
 */
const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    calls: { type: 'string', default: '1,50,200' },
  },
});
/** Interruptions per call: with one call, and with more. */
const INTERRUPTIONS_ALONE = values.short ? 6 : 20;
const INTERRUPTIONS = values.short ? 2 : 5;
/** Duration of a question and an interruption with their pauses. The calls start spread over it. */
const TURN_MS = 5_000;
/** The limit: one frame, for the packet that was being sent. */
const MARK_MS = 20;

const report = new Report('interruption');
const details: object[] = [];
for (const calls of values.calls.split(',').map(Number)) {
  const result = await runRig({
    script: 'interruption',
    turns: calls === 1 ? INTERRUPTIONS_ALONE : INTERRUPTIONS,
    calls,
    spreadMs: TURN_MS,
    writes: false,
  });
  details.push(addResult(calls, result));
}
report.note('0 where no packet with speech followed the word. The limit applies to every interruption.');
report.note(`ADMISSION_LATENESS_MS=${ADMISSION_LATENESS_MS}: no call is refused for a late packet.`);
await report.finish(details);

/** From the write of the word at the transcriber to the last packet with speech at the caller; negative where none followed. */
function lastSpeechDelaysMs({ script, callers, providerTurns }: RigResult): readonly number[] {
  const reportedMs = new Map(providerTurns.map(({ call, turn, wordsMs }) => [`${call}/${turn}`, wordsMs]));
  return callers.turns
    .filter(({ turn }) => script.turns[turn - 1]?.interrupts)
    .map(({ call, turn, lastSpeechMs }) => lastSpeechMs - (reportedMs.get(`${call}/${turn}`) ?? Number.NaN));
}

function addResult(calls: number, result: RigResult): object {
  const all = lastSpeechDelaysMs(result);
  const seen = all.filter((ms) => Number.isFinite(ms));
  const { count, p50, p95, p99, max } = percentilesOf(seen.map((ms) => Math.max(0, ms)));
  report.add({
    calls,
    stage: 'word that interrupts → last packet with speech',
    interruptions: count,
    'p50 ms': p50.toFixed(2),
    'p95 ms': p95.toFixed(2),
    'p99 ms': p99.toFixed(2),
    'max ms': max.toFixed(1),
    'no packet after': seen.filter((ms) => ms <= 0).length,
    'mark ms': MARK_MS,
    reached: max <= MARK_MS ? 'yes' : 'no',
  });
  const { service, providers, callers, providerFaults } = result;
  const faults = [...result.faults].filter(([, fault]) => fault !== null);
  const share = (value: number) => `${(value * 100).toFixed(0)} %`;
  report.note(
    `${calls} calls: service ${share(service.processShare)} of a core (longest stall ${service.longestStallMs.toFixed(1)} ms), providers’ loop p99 ${providers.loopP99Ms.toFixed(1)} ms, callers’ loop p99 ${callers.load.loopP99Ms.toFixed(1)} ms, ` +
      `everything else on the machine ${share(result.otherLoadShare)}, ${all.length - seen.length} interruptions not measured completely, ${faults.length} calls with a fault${faults[0] === undefined ? '' : ` (first: ${faults[0][1]})`}, ${providerFaults.length} faults at the providers${providerFaults[0] === undefined ? '' : ` (first: ${providerFaults[0]})`}.`,
  );
  return {
    calls,
    windowMs: result.windowMs,
    service,
    providers,
    callers: { ...callers, turns: [] },
    faults,
    providerFaults,
    lastPacketsMs: all,
  };
}
