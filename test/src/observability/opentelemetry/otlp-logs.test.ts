import { expect, it, onTestFinished, vi } from 'vitest';
import { createLogger } from '../../../../src/log/log.ts';
import { LogRecords } from '../../../../src/log/log-records.ts';
import { EXPORT_TIMEOUT_MS, STOP_TIMEOUT_MS } from '../../../../src/observability/opentelemetry/otlp-exporter.ts';
import { BATCH_LINES, createOtlpLogs, QUEUE_LINES_MAX } from '../../../../src/observability/opentelemetry/otlp-logs.ts';
import { type CollectorBehaviour, startCollector } from '../../../otlp/collector.ts';

const TRACE = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', isSampled: true };

/** A log whose lines go to a collector, and the lines on standard output. */
async function logTo(behaviour: CollectorBehaviour) {
  const collector = await startCollector(behaviour);
  onTestFinished(() => collector.close());
  const reports: unknown[] = [];
  const sink = createOtlpLogs({
    settings: {
      logsUrl: `${collector.endpoint}/v1/logs`,
      headers: { 'x-team': 'voice' },
      serviceName: 'desk',
      resourceAttributes: {},
    },
    nodeId: 'node-1',
    contextOf: (callId) => (callId === 'call-1' ? TRACE : null),
    log: { warn: (fields: object, event: string) => void reports.push({ ...fields, event }) },
    nowMs: () => 0,
  });
  const records = new LogRecords();
  records.readWith(sink.export);
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLogger({ level: 'info', format: 'json', secrets: ['a-secret-key'], destination, records });
  return { collector, lines, log, reports, sink };
}

it('sends each line masked, with the trace and the id of its call', async () => {
  const { collector, lines, log, sink } = await logTo('accept');
  log.warn({ call_id: 'call-1', err: new Error('a-secret-key of +4915112345678') }, 'call error');
  log.info({ call_id: 'call-2', list: ['a', 1] }, 'service started');
  await sink.stop();
  expect(collector.logs).toMatchObject([
    {
      severity: 13,
      body: 'call error',
      traceId: TRACE.traceId,
      spanId: TRACE.spanId,
      attributes: { 'trunkline.call.id': 'call-1' },
    },
    {
      severity: 9,
      body: 'service started',
      traceId: '',
      attributes: { 'trunkline.call.id': 'call-2', list: '["a",1]' },
    },
  ]);
  const first = JSON.parse(lines[0] ?? '');
  expect(collector.logs[0]?.atMs).toBe(Date.parse(first.time));
  expect(collector.logs[0]?.resource).toMatchObject({ 'service.name': 'desk', 'service.instance.id': 'node-1' });
  expect(JSON.stringify(collector.logs)).not.toMatch(/a-secret-key|15112345678/);
  expect(lines).toHaveLength(2);
});

it('keeps at most its queue while the collector hangs: further lines are counted, and standard output has all', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { collector, lines, log, reports, sink } = await logTo('hang');
  const request = collector.nextRequest();
  for (let line = 0; line < BATCH_LINES; line++) log.info({}, 'service stopped');
  await request;
  for (let line = 0; line < 2 * QUEUE_LINES_MAX; line++) log.info({}, 'service stopped');
  expect(reports).toEqual([{ event: 'log export failed', reason: 'the queue is full', lines: 1 }]);
  expect(lines).toHaveLength(BATCH_LINES + 2 * QUEUE_LINES_MAX);
  expect(collector.requests).toBe(1);
  const stopped = sink.stop();
  await vi.advanceTimersByTimeAsync(Math.max(STOP_TIMEOUT_MS, EXPORT_TIMEOUT_MS));
  await stopped;
});
