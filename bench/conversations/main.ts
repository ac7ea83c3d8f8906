import { parseArgs } from 'node:util';
import { percentilesOf } from '../percentiles.ts';
import { Report } from '../report.ts';
import { modelRequestsATurn } from '../rig/model-requests.ts';
import type { ServiceLoad } from '../rig/process-messages.ts';
import { ADMISSION_LATENESS_MS, type RigResult, runRig } from '../rig/rig.ts';
import { stagesOf } from '../rig/turn-stages.ts';
import { callFaults } from './call-faults.ts';
import { startTelemetryCollector } from './telemetry-collector.ts';

/**
 * Simultaneous whole conversations over real SIP and RTP, with a hundred additional database writes a second.
 *
 *     node bench/conversations/main.ts [--short] [--calls 50,100,200] [--warm-up 50] [--telemetry] [--profile DIR]
 *
 * `--telemetry` repeats each number of calls with a collector of traces and metrics, to show their cost.
 * `--warm-up` has whole conversations first, so that V8 has compiled the hot code: the cost of a service that has run for some minutes.
 */
const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    calls: { type: 'string' },
    telemetry: { type: 'boolean', default: false },
    'warm-up': { type: 'string', default: '0' },
    profile: { type: 'string' },
  },
});
const WARM_UP_CALLS = Number(values['warm-up']);
const COUNTS = values.calls ?? (values.short ? '50' : '50,100,200');
/** The starts of the conversations are spread over this time, about a third of a conversation. */
const SPREAD_MS = 4_000;
/** The limits, ms. */
const OURS_P99_MS = 40;
const PACING_P99_MS = 5;
const WRONG_SHOWN_MAX = 3;
/** Threads with less CPU a call are not shown, ms. */
const THREAD_MS_SHOWN = 0.1;
/** If callers send later than this, they had too little CPU, and the results are reported as upper bounds. */
const CALLER_SLIP_MS_MAX = 8;

const report = new Report('conversations');
const details: object[] = [];
for (const calls of COUNTS.split(',').map(Number)) {
  details.push(addResult(calls, await converse(calls)));
  if (values.telemetry) details.push(addResult(calls, await converseWithCollector(calls)));
}
report.note(
  `Pass: every call complete, every transcript right, no packet missing, pacing p99 < ${PACING_P99_MS} ms, our share of a turn p99 ≤ ${OURS_P99_MS} ms.`,
);
report.note(WARM_UP_CALLS === 0 ? 'No warm-up.' : `${WARM_UP_CALLS} conversations before the measured ones.`);
report.note(`ADMISSION_LATENESS_MS=${ADMISSION_LATENESS_MS}: no call is refused for a late packet.`);
await report.finish(details);

function converse(calls: number, collectorOrigin?: string): Promise<RigResult> {
  return runRig({
    script: 'conversation',
    turns: 0,
    calls,
    spreadMs: SPREAD_MS,
    writes: true,
    ...(collectorOrigin !== undefined && { collectorOrigin }),
    ...(WARM_UP_CALLS > 0 && { warmUpCalls: WARM_UP_CALLS }),
    ...(values.profile !== undefined && { profileTo: values.profile }),
  });
}

async function converseWithCollector(calls: number): Promise<RigResult> {
  const collector = await startTelemetryCollector();
  try {
    const result = await converse(calls, collector.origin);
    report.note(
      `${calls} calls, the second row: ${collector.requests} requests of traces and metrics, ${(collector.bytes / 1024).toFixed(0)} KiB.`,
    );
    return result;
  } finally {
    collector.close();
  }
}

function addResult(calls: number, result: RigResult): object {
  const { service, providers, callers, script } = result;
  const { stages, missing } = stagesOf(callers.turns, result.providerTurns);
  const ours = percentilesOf(stages.map((stage) => stage.ours));
  const wrong = new Map<number, readonly string[]>();
  for (let call = 1; call <= calls; call++) {
    const answer = result.reportedCalls.get(call);
    const found = answer === undefined ? ['never staged'] : callFaults(answer, script, call);
    const fault = result.faults.get(call) ?? null;
    const all = fault === null ? found : [fault, ...found];
    if (all.length > 0) wrong.set(call, all);
  }
  const requests = modelRequestsATurn(result);
  const complete = [...result.faults.values()].filter((fault) => fault === null).length;
  const evenly = callers.missing === 0 && callers.pacing.p99 < PACING_P99_MS;
  const pass =
    wrong.size === 0 && missing === 0 && result.providerFaults.length === 0 && evenly && ours.p99 <= OURS_P99_MS;
  const percent = (value: number) => (value * 100).toFixed(0);
  report.add({
    calls,
    complete,
    right: calls - wrong.size,
    'pacing p99 ms': callers.pacing.p99.toFixed(2),
    missing: callers.missing,
    'ours p50 ms': ours.p50.toFixed(1),
    'ours p95 ms': ours.p95.toFixed(1),
    'ours p99 ms': ours.p99.toFixed(1),
    'requests a turn': `${requests.made.toFixed(2)} (needed ${requests.needed.toFixed(2)})`,
    'service core %': percent(service.processShare),
    'CPU ms a call': ((service.processShare * result.windowMs) / calls).toFixed(1),
    'CPU ms a call-second': ((service.processShare * 1_000) / calls).toFixed(2),
    'main thread %': percent(service.mainShare),
    'event loop %': percent(service.eventLoopShare),
    'core wait %': percent(service.coreWaitShare),
    'stall ms': service.longestStallMs.toFixed(1),
    'writes/s': service.writesPerSecond.toFixed(0),
    'write p99 ms': service.writeP99Ms.toFixed(1),
    'providers core %': percent(providers.processShare),
    'callers core %': percent(callers.load.processShare),
    'others core %': percent(result.otherLoadShare),
    'slip ms': callers.sendLatenessMsMax.toFixed(1),
    pass: pass ? 'yes' : 'no',
  });
  report.note(`${calls} calls, CPU ms a call: ${threadsOf(service, calls)}.`);
  if (callers.sendLatenessMsMax > CALLER_SLIP_MS_MAX) {
    report.note(
      `${calls} calls: the callers sent up to ${callers.sendLatenessMsMax.toFixed(0)} ms late for lack of cores: upper bounds only.`,
    );
  }
  for (const [call, faults] of [...wrong].slice(0, WRONG_SHOWN_MAX))
    report.note(`${calls} calls, caller ${call}: ${faults.join('; ')}`);
  for (const fault of result.providerFaults.slice(0, WRONG_SHOWN_MAX))
    report.note(`${calls} calls, providers: ${fault}`);
  return {
    calls,
    windowMs: result.windowMs,
    neighbourShare: result.otherLoadShare,
    service,
    providers,
    callers: { ...callers, turns: [] },
    missing,
    wrong: [...wrong],
    providerFaults: result.providerFaults,
    stages,
  };
}

/** CPU of each thread a call, the largest first. */
function threadsOf({ threadsMs }: ServiceLoad, calls: number): string {
  return Object.entries(threadsMs)
    .sort(([, a], [, b]) => b - a)
    .filter(([, ms]) => ms / calls >= THREAD_MS_SHOWN)
    .map(([name, ms]) => `${name} ${(ms / calls).toFixed(1)}`)
    .join(', ');
}
