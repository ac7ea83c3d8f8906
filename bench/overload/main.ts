import { setTimeout as after } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { percentilesOf } from '../percentiles.ts';
import { Report } from '../report.ts';
import { type Rig, stagingRequest, startRig } from '../rig/rig.ts';
import { CallOutcomes, UNAVAILABLE } from './call-outcomes.ts';

/**
 * Whole conversations that arrive faster than the machine carries them: accepted calls, refused ones, and what callers of the accepted ones
 * hear. The limits of overload are the service's own. A new service for each load.
 *
 *     node bench/overload/main.ts [--short] [--capacity 100] [--loads 0.5,1,1.5,2,3] [--seconds 40]
 *
 * `--capacity`: calls at once that the machine carries, by `npm run bench -- conversations`.
 */
const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    capacity: { type: 'string', default: '100' },
    loads: { type: 'string' },
    seconds: { type: 'string' },
  },
});
const CAPACITY = Number(values.capacity);
const LOADS = (values.loads ?? (values.short ? '0.5,3' : '0.5,1,1.5,2,3')).split(',').map(Number);
const SECONDS = Number(values.seconds ?? (values.short ? '15' : '40'));
/** The limit of the service by default. */
const ADMISSION_LATENESS_MS = 10;
/** Duration of the conversation on an idle machine, s. */
const CALL_SECONDS = 12;

const report = new Report('overload');
const details: object[] = [];
// One call at a time: what a caller hears when the machine is idle.
for (const load of [1 / CAPACITY, ...LOADS]) details.push(await measure(load));
report.note(
  `A load of 1: ${CAPACITY} calls at once, ${(CAPACITY / CALL_SECONDS).toFixed(1)} a second. Pass: no accepted call fails, pacing p99 < 20 ms, and the response p95 is at most 1.5 times that of the first row.`,
);
await report.finish(details);

async function measure(load: number): Promise<object> {
  const rig = await startRig({ script: 'conversation', turns: 0, admissionLatenessMs: ADMISSION_LATENESS_MS });
  try {
    const outcomes = new CallOutcomes(rig);
    await Promise.all([
      rig.providers.request({ type: 'open' }, 'opened'),
      rig.service.request({ type: 'open', journalCallId: null }, 'opened'),
    ]);
    rig.callers.send({ type: 'go', spreadMs: 0 });
    const offered = await offer(rig, load, outcomes);
    await outcomes.ended();
    const [service, callers] = await Promise.all([
      rig.service.request({ type: 'close' }, 'closed'),
      rig.callers.request({ type: 'report' }, 'report'),
    ]);
    const responses = percentilesOf(
      callers.turns.map(({ responseMs, speechSentMs }) => responseMs - speechSentMs).filter(Number.isFinite),
    );
    const { accepted, faults, mostAtOnce, refusedByApi, refusedBySip } = outcomes;
    report.add({
      load: load.toFixed(2),
      offered,
      accepted,
      'refused by API': refusedByApi,
      'by SIP': refusedBySip,
      failed: faults.length,
      'most at once': mostAtOnce,
      'response p50 ms': responses.p50.toFixed(0),
      'p95 ms': responses.p95.toFixed(0),
      'pacing p99 ms': callers.pacing.p99.toFixed(1),
      missing: callers.missing,
      'service core %': (service.processShare * 100).toFixed(0),
      'event loop %': (service.eventLoopShare * 100).toFixed(0),
      'slip ms': callers.sendLatenessMsMax.toFixed(0),
    });
    for (const fault of faults.slice(0, 3)) report.note(`load ${load.toFixed(2)}: ${fault}`);
    return { load, offered, accepted, refusedByApi, refusedBySip, faults, mostAtOnce, responses, service, callers };
  } finally {
    await rig.end();
  }
}

/** Offers calls at a steady rate. Returns their number. */
async function offer({ api, agentId, callers, sipPort }: Rig, load: number, outcomes: CallOutcomes): Promise<number> {
  const perSecond = (load * CAPACITY) / CALL_SECONDS;
  const calls = Math.max(2, Math.round(perSecond * SECONDS));
  const startMs = performance.now();
  const one = async (call: number) => {
    await after(Math.max(0, startMs + ((call - 1) * 1_000) / perSecond - performance.now()));
    const staged = await api.send('POST', '/v1/calls/stage?sync=true', stagingRequest(agentId, call));
    if (staged.status === UNAVAILABLE) {
      outcomes.refusedByApi += 1;
      return;
    }
    const { call_id: callId } = z.object({ call_id: z.string() }).parse(staged.data);
    outcomes.dialled(call);
    callers.send({ type: 'dial', call, callId, sipPort, speaksAtOnce: true });
  };
  await Promise.all(Array.from({ length: calls }, (_, i) => one(i + 1)));
  return calls;
}
