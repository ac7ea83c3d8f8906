import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { READING_MS } from '../../../src/calls/overload/overload-rule.ts';
import type { PartName } from '../../../src/service/lifecycle/service-parts.ts';
import { startCollector } from '../../otlp/collector.ts';
import { errorAnswer, textAnswer } from '../../providers/openai/chat-script.ts';
import { heardLine, startEmulatedProviders } from '../rig/emulated-providers.ts';
import { eventually } from '../rig/eventually.ts';
import { dialIn, talker } from '../rig/staged-call.ts';
import { startTestService } from '../rig/test-service.ts';

async function scrape(port: number): Promise<Map<string, number>> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

/** Stops this thread. */
const stall = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

it('the load is read once the service has started: stalls of the start refuse no call', async () => {
  const onPartStarted = (part: PartName) => {
    // Each is above the limit of the event loop and as long as a reading; together they are more than the warm-up.
    if (['audit log', 'API', 'metrics', 'retention'].includes(part)) stall(1.1 * READING_MS);
  };
  const test = await startTestService({ ADMISSION_LATENESS_MS: '50' }, { onPartStarted });
  onTestFinished(() => test.close());
  const port = test.service.metricsAddress?.port ?? 0;
  expect((await scrape(port)).get('trunkline_overload_phase')).toBe(0);
  await eventually(async () =>
    expect((await scrape(port)).get('trunkline_load_ratio{limit="database"}')).toEqual(expect.any(Number)),
  );
});

it('the last metrics are sent before the parts that they are read from stop', async () => {
  const collector = await startCollector('hang');
  onTestFinished(() => collector.close());
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_METRICS_EXPORTER: 'otlp' };
  const test = await startTestService(environment);
  onTestFinished(() => test.close());
  const request = collector.nextRequest();
  const stopped = test.service.stop(0);
  await request;
  expect((await fetch(`${test.service.httpUrl}/healthz`)).status).toBe(200);
  await stopped;
});

it('metrics show a call in progress, and count its end, its turn and the failure of its model', async () => {
  const providers = await startEmulatedProviders({
    listen: { steps: heardLine('Who are you?', 1_500, 2_300) },
    chat: (_body, nth) => (nth === 0 ? errorAnswer(500) : textAnswer('I am the agent.')),
  });
  onTestFinished(() => providers.close());
  const test = await startTestService(providers.environment);
  onTestFinished(() => test.close());
  const port = test.service.metricsAddress?.port ?? 0;
  expect((await scrape(port)).get('trunkline_live_calls')).toBe(0);

  const { id } = await test.api.createAgent(talker({ initial_message: 'Hello.' }));
  const { callId, said, hangUp } = await dialIn(test, id);
  const during = await scrape(port);
  expect(during.get('trunkline_live_calls')).toBe(1);
  expect(during.get('trunkline_calls{status="in_progress"}')).toBe(1);
  expect(during.get('trunkline_media_legs')).toBe(1);
  expect(during.get('trunkline_calls_created_total{direction="inbound"}')).toBe(1);
  expect([...during.keys()].filter((name) => name.startsWith('trunkline_calls_ended'))).toEqual([]);

  await said('I am the agent.');
  await hangUp();
  await test.api.callIn(callId, ['completed']);
  const ended = 'trunkline_calls_ended_total{direction="inbound",status="completed",end_reason="caller_hangup"}';
  const after = await eventually(async () => {
    const metrics = await scrape(port);
    expect(metrics.get(ended)).toBe(1);
    return metrics;
  });
  expect(after.get('trunkline_calls{status="in_progress"}')).toBe(0);
  expect(after.get('trunkline_provider_errors_total{provider="openai",part="language_model",code="unavailable"}')).toBe(
    1,
  );
  expect(after.get('trunkline_turn_seconds_count{part="response"}')).toBeGreaterThanOrEqual(1);
  expect(after.get('trunkline_turn_seconds_count{part="committed"}')).toBeGreaterThanOrEqual(1);
  for (const series of [
    'provider="deepgram",part="transcriber"',
    'provider="openai",part="language_model"',
    'provider="deepgram",part="voice"',
  ]) {
    expect(after.get(`trunkline_provider_first_byte_seconds_count{${series}}`), series).toBeGreaterThanOrEqual(1);
  }
  expect(after.get('trunkline_media_packets_sent_total')).toBeGreaterThan(100);
  expect(after.get('trunkline_media_packets_received_total')).toBeGreaterThan(100);
  expect(after.get('trunkline_event_loop_delay_seconds{quantile="0.99"}')).toBeGreaterThan(0);
  expect(after.get('trunkline_sip_internal_errors_total')).toBe(0);
  expect(after.get('trunkline_database_up')).toBe(1);
  // A label with a call id or a number would create a series for each call and identify it.
  expect([...after.keys()].join('\n')).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}|\+33/);
});

it('a taken METRICS_BIND port disables the metrics and nothing else', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void holder.close());
  await new Promise((done) => holder.once('listening', done));
  const { port } = holder.address() as AddressInfo;
  const test = await startTestService({ METRICS_BIND: `127.0.0.1:${port}` });
  onTestFinished(() => test.close());
  expect(test.service.metricsAddress).toBeNull();
  expect(test.log()).toContain('METRICS_BIND');
  expect((await fetch(`${test.service.httpUrl}/readyz`)).status).toBe(200);
});
