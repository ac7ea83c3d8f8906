import { expect, it, onTestFinished } from 'vitest';
import { Metrics } from '../../../../src/observability/metrics/metrics.ts';
import { MetricsReader } from '../../../../src/observability/metrics/metrics-reader.ts';
import { LOG_GAP_MS, STOP_TIMEOUT_MS } from '../../../../src/observability/opentelemetry/otlp-exporter.ts';
import { PUSH_INTERVAL_MS, startOtlpMetrics } from '../../../../src/observability/opentelemetry/otlp-metrics.ts';
import { type CollectorBehaviour, startCollector } from '../../../otlp/collector.ts';
import { eventually } from '../../../service/rig/eventually.ts';
import { READINGS } from '../metrics/readings.ts';

/** Metrics that are sent to a collector. `tick`: the next interval, or the time of a stop, is over. */
async function pushesTo(behaviour: CollectorBehaviour) {
  const collector = await startCollector(behaviour);
  const metrics = new Metrics();
  let reads = 0;
  const reader = new MetricsReader(metrics, async () => {
    reads += 1;
    return READINGS;
  });
  const waiting = new Set<() => void>();
  const reports: unknown[] = [];
  let nowMs = 1_000;
  const pushes = startOtlpMetrics({
    settings: {
      metricsUrl: `${collector.endpoint}/v1/metrics`,
      headers: {},
      serviceName: 'desk',
      resourceAttributes: {},
    },
    nodeId: null,
    read: () => reader.values(),
    clock: {
      wallMs: () => nowMs,
      after: (delayMs, callback) => {
        expect([PUSH_INTERVAL_MS, STOP_TIMEOUT_MS]).toContain(delayMs);
        waiting.add(callback);
        return () => void waiting.delete(callback);
      },
    },
    log: { warn: (fields: object, event: string) => void reports.push({ ...fields, event }) },
  });
  const tick = () => {
    nowMs += PUSH_INTERVAL_MS;
    const due = [...waiting];
    waiting.clear();
    for (const callback of due) callback();
  };
  let stopped: Promise<void> | null = null;
  const stop = () => (stopped ??= pushes.stop());
  onTestFinished(async () => {
    const ended = stop();
    if (behaviour === 'hang') tick();
    await ended;
    reader.close();
    await collector.close();
  });
  return { collector, metrics, reports, stop, tick, reads: () => reads, waiting: () => waiting.size };
}

it('sends counters, gauges and histograms under the names and with the values that Prometheus reads', async () => {
  const { collector, metrics, tick, waiting } = await pushesTo('accept');
  metrics.callCreated('inbound');
  metrics.callCreated('inbound');
  for (const ms of [30, 700, 20_000]) metrics.firstByte('voice', 'deepgram', ms);
  tick();
  await eventually(() => expect(waiting()).toBe(1));
  const named = (name: string) => collector.metrics.find((metric) => metric.name === name);
  expect(named('trunkline_calls_created_total')).toMatchObject({
    type: 'sum',
    points: [{ attributes: { direction: 'inbound' }, value: 2 }],
  });
  expect(named('trunkline_live_calls')).toMatchObject({ type: 'gauge', points: [{ value: READINGS.liveCalls }] });
  const histogram = named('trunkline_provider_first_byte_seconds');
  expect(histogram).toMatchObject({
    type: 'histogram',
    points: [{ attributes: { part: 'voice', provider: 'deepgram' }, count: 3 }],
  });
  const [point] = histogram?.points ?? [];
  expect(point?.sum).toBeCloseTo(20.73);
  expect(point?.bounds).toHaveLength((point?.buckets.length ?? 0) - 1);
  expect(point?.buckets.reduce((sum, count) => sum + count, 0)).toBe(3);
  expect(point?.buckets.at(-1)).toBe(1);
});

it('reads and keeps nothing while a request hangs, and says once a minute that the collector refuses', async () => {
  const hanging = await pushesTo('hang');
  const request = hanging.collector.nextRequest();
  hanging.tick();
  await request;
  hanging.tick();
  hanging.tick();
  expect([hanging.reads(), hanging.collector.requests, hanging.waiting()]).toEqual([1, 1, 0]);

  expect(LOG_GAP_MS).toBe(PUSH_INTERVAL_MS);
  const refused = await pushesTo('missing');
  for (let push = 1; push <= 2; push++) {
    refused.tick();
    await eventually(() => expect(refused.waiting()).toBe(1));
    expect(refused.reports).toHaveLength(push);
  }
  expect(refused.reports[0]).toMatchObject({ event: 'metrics export failed' });
});

it('sends once more when it stops, after the request that runs', async () => {
  const { collector, metrics, reads, stop, tick } = await pushesTo('accept');
  tick();
  const stopped = stop();
  metrics.callCreated('inbound');
  expect(reads()).toBe(1);
  await stopped;
  expect([reads(), collector.requests]).toEqual([2, 2]);
  expect(collector.metrics.findLast(({ name }) => name === 'trunkline_calls_created_total')).toMatchObject({
    points: [{ attributes: { direction: 'inbound' }, value: 1 }],
  });
});

it('stops within its time while a request hangs', async () => {
  const { collector, reads, stop, tick, waiting } = await pushesTo('hang');
  const request = collector.nextRequest();
  tick();
  await request;
  const stopped = stop();
  tick();
  await stopped;
  expect([reads(), collector.requests, waiting()]).toEqual([1, 1, 0]);
});
