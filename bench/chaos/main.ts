import { parseArgs } from 'node:util';
import { runChaos } from '../../test/service/recovery/chaos/run-chaos.ts';
import { percentilesOf } from '../percentiles.ts';
import { Report } from '../report.ts';

/**
 * Random faults over several nodes under calls: kill -9, SIGSTOP, partitions from PostgreSQL, restarts and outages of PostgreSQL.
 *
 *     node bench/chaos/main.ts [--nodes 3] [--faults 100] [--calls 6] [--every 6] [--seed 1] [--rtp 33000] [--short]
 */
const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '3' },
    faults: { type: 'string', default: '100' },
    calls: { type: 'string', default: '6' },
    every: { type: 'string', default: '6' },
    seed: { type: 'string', default: '1' },
    rtp: { type: 'string', default: '33000' },
    short: { type: 'boolean', default: false },
  },
});
const report = new Report('chaos');
const result = await runChaos({
  nodes: Number(values.nodes),
  faults: values.short ? 10 : Number(values.faults),
  concurrentCalls: Number(values.calls),
  everyMs: Number(values.every) * 1_000,
  seed: Number(values.seed),
  firstRtpPort: Number(values.rtp),
});
const { answered, calls, faults, nodeLost, repeatedWebhooks, takeoverMs, violations, webhooks } = result;
report.add({
  nodes: Number(values.nodes),
  faults: faults.length,
  calls,
  answered,
  'node lost': nodeLost,
  webhooks,
  'sent again': repeatedWebhooks,
  'takeover p50 s': seconds(percentilesOf(takeoverMs).p50),
  'takeover max s': seconds(takeoverMs.at(-1) ?? 0),
  violations: violations.length,
});
const kinds = Map.groupBy(faults, ({ kind }) => kind);
report.note([...kinds].map(([kind, all]) => `${kind} ${all.length}`).join(', '));
for (const violation of violations) report.note(violation);
await report.finish({
  violations,
  evidence: result.evidence,
  takeoverMs,
  faults: faults.map(({ node, ...fault }) => ({ ...fault, node: node?.name })),
});
if (violations.length > 0) process.exitCode = 1;

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
