import { setTimeout as after } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CallOutcomes } from '../overload/call-outcomes.ts';
import { Report } from '../report.ts';
import { ADMISSION_LATENESS_MS, type Rig, stagingRequest, startRig } from '../rig/rig.ts';

/**
 * Whether the memory of the service grows with the number of calls: short calls of one question at a steady rate, over real SIP and RTP, with
 * recorded memory after each twelfth of them. The calls stand for two hours of a service: the first twelfth for ten minutes.
 *
 *     node bench/soak/main.ts [--short] [--calls 20000] [--per-second 12]
 */
const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    calls: { type: 'string' },
    'per-second': { type: 'string', default: '12' },
  },
});
const CALLS = Number(values.calls ?? (values.short ? '120' : '20000'));
const PER_SECOND = Number(values['per-second']);
const PARTS = 12;
/** Growth of the resident memory from the first part to the last. */
const GROWTH_MAX = 0.1;

const report = new Report('soak');
const rig = await startRig({ script: 'turn', turns: 1, admissionLatenessMs: ADMISSION_LATENESS_MS });
try {
  const outcomes = new CallOutcomes(rig);
  rig.callers.send({ type: 'go', spreadMs: 0 });
  const samples = [await sample(0, outcomes)];
  const size = Math.ceil(CALLS / PARTS);
  for (let part = 0; part < PARTS; part++) {
    await offer(rig, part * size + 1, size, outcomes);
    await outcomes.ended();
    samples.push(await sample((part + 1) * size, outcomes));
  }
  const [first, last] = [samples[1], samples.at(-1)];
  const growth = (last?.residentMb ?? Number.NaN) / (first?.residentMb ?? Number.NaN) - 1;
  const percent = (growth * 100).toFixed(1);
  report.note(
    `Resident memory after the last part against the first: ${percent} %. Pass: at most ${GROWTH_MAX * 100} %.`,
  );
  for (const fault of outcomes.faults.slice(0, 3)) report.note(fault);
  await report.finish({ samples, growth, faults: outcomes.faults });
} finally {
  await rig.end();
}

/** Stages and dials the calls from number `first` on, at the steady rate. */
async function offer(
  { api, agentId, callers, sipPort }: Rig,
  first: number,
  count: number,
  outcomes: CallOutcomes,
): Promise<void> {
  const startMs = performance.now();
  const one = async (nth: number) => {
    await after(Math.max(0, startMs + (nth * 1_000) / PER_SECOND - performance.now()));
    const call = first + nth;
    const callId = await api.stage(stagingRequest(agentId, call));
    outcomes.dialled(call);
    callers.send({ type: 'dial', call, callId, sipPort, speaksAtOnce: true });
  };
  await Promise.all(Array.from({ length: count }, (_, nth) => one(nth)));
}

async function sample(calls: number, { accepted, faults, mostAtOnce }: CallOutcomes) {
  const { heapMb, residentMb } = await rig.service.request({ type: 'memory' }, 'memory');
  report.add({
    calls,
    ended: accepted,
    failed: faults.length,
    'most at once': mostAtOnce,
    'RSS MiB': residentMb.toFixed(0),
    'heap MiB': heapMb.toFixed(0),
  });
  return { calls, residentMb, heapMb };
}
