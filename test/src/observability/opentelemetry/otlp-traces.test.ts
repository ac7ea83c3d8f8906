import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadConfiguration } from '../../../../src/configuration/configuration.ts';
import type { TelemetrySettings } from '../../../../src/configuration/telemetry-settings.ts';
import { LOG_GAP_MS, STOP_TIMEOUT_MS } from '../../../../src/observability/opentelemetry/otlp-exporter.ts';
import {
  BATCH_SPANS,
  createOtlpTraces,
  QUEUE_SPANS_MAX,
  type TraceSink,
} from '../../../../src/observability/opentelemetry/otlp-traces.ts';
import { idsOf } from '../../../../src/observability/opentelemetry/trace-context.ts';
import type { TraceSpan } from '../../../../src/observability/opentelemetry/trace-span.ts';
import { type Collector, type CollectorBehaviour, startCollector } from '../../../otlp/collector.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN: TraceSpan = {
  spanId: '00f067aa0ba902b7',
  parentId: '53995c3f42cd8ad8',
  name: 'chat small',
  kind: 'client',
  fromUs: 1_767_225_600_000_123,
  toUs: 1_767_225_601_500_456,
  attributes: { 'gen_ai.request.model': 'small', 'gen_ai.usage.input_tokens': 12, streamed: true, seconds: 0.25 },
  events: [{ name: 'first token', atUs: 1_767_225_600_900_000, attributes: {} }],
  error: '429',
};
const spans = (count: number) => Array.from({ length: count }, () => SPAN);
const settingsOf = (environment: Record<string, string>): TelemetrySettings => {
  const { telemetry } = loadConfiguration({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', ...environment });
  if (telemetry === null) throw new Error('no telemetry');
  return telemetry;
};

let nowMs = 0;
const logged: string[] = [];

function sinkTo(endpoint: string, environment: Record<string, string> = {}): TraceSink {
  const settings = settingsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...environment });
  const log = { warn: (_fields: object, event: string) => void logged.push(event) };
  return createOtlpTraces({ settings, nodeId: 'node-1', log, nowMs: () => nowMs });
}

/** Lets time pass, for the retries of a request, and the collector answer. */
async function passUntil(isDone: () => boolean): Promise<void> {
  while (!isDone()) {
    await vi.advanceTimersByTimeAsync(1_000);
    await new Promise(setImmediate);
  }
}

async function collectorThat(behaviour: CollectorBehaviour): Promise<Collector> {
  const collector = await startCollector(behaviour);
  onTestFinished(() => collector.close());
  return collector;
}

describe('the exporter', () => {
  beforeEach(() => {
    nowMs = 0;
    logged.length = 0;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('sends a span as it is, with the headers and the resource of the settings', async () => {
    const collector = await collectorThat('accept');
    const sink = sinkTo(collector.endpoint, {
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20abc,x-team=voice',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging',
      OTEL_SERVICE_NAME: 'front-desk',
    });
    sink.export(TRACE_ID, [SPAN, { ...SPAN, parentId: null, error: null, events: [] }]);
    await sink.stop();
    expect(collector.headers).toMatchObject([{ authorization: 'Bearer abc', 'x-team': 'voice' }]);
    expect(collector.spans).toMatchObject([
      {
        traceId: TRACE_ID,
        spanId: SPAN.spanId,
        parentId: SPAN.parentId,
        name: SPAN.name,
        kind: 3,
        fromUs: SPAN.fromUs,
        toUs: SPAN.toUs,
        attributes: { ...SPAN.attributes, 'error.type': '429' },
        events: ['first token'],
        isError: true,
        resource: {
          'service.name': 'front-desk',
          'service.instance.id': 'node-1',
          'deployment.environment.name': 'staging',
        },
      },
      { parentId: '', isError: false },
    ]);
  });

  it('drops what its queue cannot hold while the collector hangs, and stops in bounded time', async () => {
    const collector = await collectorThat('hang');
    const sink = sinkTo(collector.endpoint);
    const request = collector.nextRequest();
    sink.export(TRACE_ID, spans(BATCH_SPANS));
    await request;
    sink.export(TRACE_ID, spans(2 * QUEUE_SPANS_MAX));
    expect(collector.requests).toBe(1);
    collector.behaviour = 'accept';
    const stopped = sink.stop();
    await vi.waitUntil(() => collector.spans.length >= QUEUE_SPANS_MAX, { timeout: 20_000 });
    expect(logged).toEqual(['trace export failed']);
    await vi.advanceTimersByTimeAsync(STOP_TIMEOUT_MS);
    await stopped;
    expect(collector.spans).toHaveLength(QUEUE_SPANS_MAX);
  });

  it('says once a minute that the collector answers 503, and sends again when it takes spans', async () => {
    const collector = await collectorThat('refuse');
    const sink = sinkTo(collector.endpoint);
    const failing = async (failures: number) => {
      sink.export(TRACE_ID, spans(BATCH_SPANS));
      await passUntil(() => logged.length >= failures);
    };
    await failing(1);
    expect(collector.requests).toBeGreaterThan(1);
    expect(logged).toEqual(['trace export failed']);
    nowMs += LOG_GAP_MS;
    await failing(2);
    collector.behaviour = 'accept';
    sink.export(TRACE_ID, [SPAN]);
    await sink.stop();
    expect(collector.spans).toHaveLength(1);
  });

  it('says that it lost spans if the port is closed, and stops in bounded time', async () => {
    const collector = await startCollector();
    await collector.close();
    const sink = sinkTo(collector.endpoint);
    sink.export(TRACE_ID, spans(2 * BATCH_SPANS));
    await passUntil(() => logged.length > 0);
    const stopped = sink.stop();
    await vi.advanceTimersByTimeAsync(STOP_TIMEOUT_MS);
    await stopped;
    expect(logged).toEqual(['trace export failed']);
  });
});

describe('OTEL_TRACES_SAMPLER', () => {
  const parent = (isSampled: boolean) => ({ traceId: TRACE_ID, spanId: SPAN.spanId, isSampled });
  const decisions = (OTEL_TRACES_SAMPLER: string) => {
    const sink = sinkTo('http://127.0.0.1:1', { OTEL_TRACES_SAMPLER });
    return [null, parent(true), parent(false)].map((one) => sink.isSampled(TRACE_ID, one));
  };

  it.each([
    ['always_on', [true, true, true]],
    ['always_off', [false, false, false]],
    ['parentbased_always_on', [true, true, false]],
    ['parentbased_always_off', [false, true, false]],
    ['parentbased_traceidratio', [true, true, false]],
  ])('%s decides for a call without a parent, with a sampled one, and with another', (sampler, expected) => {
    expect(decisions(sampler)).toEqual(expected);
  });

  it('traceidratio takes that share of the calls', () => {
    const sink = sinkTo('http://127.0.0.1:1', { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' });
    const calls = Array.from({ length: 4_000 }, (_, n) => idsOf({ id: `call ${n}`, traceparent: null }).traceId);
    const share = calls.filter((traceId) => sink.isSampled(traceId, null)).length / calls.length;
    expect(share).toBeGreaterThan(0.22);
    expect(share).toBeLessThan(0.28);
  });
});

it('OpenTelemetry is loaded where it is needed: one module imports it, and that one is imported at run time alone', () => {
  const root = join(import.meta.dirname, '../../../..');
  const sources = globSync('{base,engine,sip,adapters,src}/**/*.ts', { cwd: root });
  const importing = (pattern: RegExp) => sources.filter((path) => pattern.test(readFileSync(join(root, path), 'utf8')));
  const folder = 'src/observability/opentelemetry';
  const modules = ['exporter', 'logs', 'metrics', 'traces'].map((name) => `${folder}/otlp-${name}.ts`);
  expect(importing(/from '@opentelemetry\//).toSorted()).toEqual(modules);
  const loading = importing(/^import (?!type ).*\/otlp-(?:exporter|logs|metrics|traces)\.ts'/m);
  expect(loading.filter((path) => !modules.includes(path))).toEqual([]);
});
