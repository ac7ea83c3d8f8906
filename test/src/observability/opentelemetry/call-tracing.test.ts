import { describe, expect, it, vi } from 'vitest';
import {
  CallTracing,
  ENDED_CALLS_MAX,
  READS_MAX,
  STOP_READS_MS,
} from '../../../../src/observability/opentelemetry/call-tracing.ts';
import type { TraceSpan } from '../../../../src/observability/opentelemetry/trace-span.ts';
import { createAgent, FakeClock, testApi } from '../../api/test-api.ts';
import { endTimelineCall, storeTimelineCall, TIMELINE_CALL_ID } from '../../api/timeline/timeline-call.ts';

const EVENT = { id: 'event', callId: TIMELINE_CALL_ID, type: 'event_call_ended', attempts: 0 };
const SENT = { fromMs: 1_000, toMs: 1_250, httpStatus: 503 };

async function tracingOf({ isSampled = true } = {}) {
  const { repositories } = await (async () => {
    const api = await testApi();
    await storeTimelineCall(api.repositories, await createAgent(api));
    await endTimelineCall(api.repositories);
    return api;
  })();
  const written: { traceId: string; span: TraceSpan }[] = [];
  const logged: string[] = [];
  const sink = {
    isSampled: () => isSampled,
    export: (traceId: string, spans: readonly TraceSpan[]) => written.push(...spans.map((span) => ({ traceId, span }))),
    stop: async () => undefined,
  };
  const log = { warn: (_fields: object, event: string) => void logged.push(event) };
  const clock = new FakeClock();
  const tracing = new CallTracing({ sink, repositories, legsOf: () => [], capturesContent: false, log, clock });
  return { clock, tracing, repositories, written, logged };
}

describe('the traces of calls', () => {
  it('are written after the end of each call, before a stop is over', async () => {
    const { tracing, written } = await tracingOf();
    tracing.callEnded(TIMELINE_CALL_ID);
    expect(written).toEqual([]);
    await tracing.stop();
    expect(written.map(({ span }) => span.name)).toContain('turn 2');
  });

  it('have a span below the call for each attempt to deliver an event', async () => {
    const { tracing, written } = await tracingOf();
    const first = await tracing.delivery(EVENT);
    const second = await tracing.delivery({ ...EVENT, attempts: 1 });
    expect(first?.context.spanId).not.toBe(second?.context.spanId);
    first?.end(SENT);
    second?.end({ ...SENT, httpStatus: 200 });
    tracing.callEnded(TIMELINE_CALL_ID);
    await tracing.stop();
    const call = written.find(({ span }) => span.name === 'inbound call');
    expect(written.slice(0, 2)).toMatchObject([
      { span: { parentId: call?.span.spanId, error: '503', toUs: 1_250_000, spanId: first?.context.spanId } },
      { span: { error: null, attributes: { 'http.response.status_code': 200 } } },
    ]);
    expect(new Set(written.map(({ traceId }) => traceId))).toEqual(new Set([first?.context.traceId]));
  });

  it('that are not sampled are neither read nor written; requests say so', async () => {
    const { tracing, repositories, written } = await tracingOf({ isSampled: false });
    const spans = vi.spyOn(repositories.journal, 'spans');
    const delivery = await tracing.delivery(EVENT);
    expect(delivery?.context.isSampled).toBe(false);
    delivery?.end(SENT);
    tracing.callEnded(TIMELINE_CALL_ID);
    await tracing.stop();
    expect(spans).not.toHaveBeenCalled();
    expect(written).toEqual([]);
  });

  it('are given up at a stop that the database holds up for seconds', async () => {
    const { clock, logged, repositories, tracing } = await tracingOf();
    vi.spyOn(repositories.calls, 'find').mockReturnValue(new Promise(() => {}));
    for (let n = 0; n < READS_MAX + 3; n++) tracing.callEnded(`call ${n}`);
    const stopped = tracing.stop();
    clock.advance(STOP_READS_MS);
    await stopped;
    expect(logged).toEqual(Array.from({ length: 3 }, () => 'call trace skipped'));
  });

  it('are abandoned while the database is unreachable, and no delivery waits for one', async () => {
    const { tracing, repositories, written, logged } = await tracingOf();
    const find = vi.spyOn(repositories.calls, 'find').mockRejectedValue(new Error('database unavailable'));
    expect(await tracing.delivery(EVENT)).toBeNull();
    for (let n = 0; n < ENDED_CALLS_MAX + 10; n++) tracing.callEnded(`call ${n}`);
    await tracing.stop();
    expect(written).toEqual([]);
    expect(new Set(logged)).toEqual(new Set(['call trace skipped']));
    expect(logged).toHaveLength(ENDED_CALLS_MAX + 10);
    // One for the delivery, one for each call that waited, and the reads that had begun before.
    expect(find.mock.calls.length).toBeLessThanOrEqual(1 + ENDED_CALLS_MAX + READS_MAX);
  });
});
