import type { Clock } from '../../../base/time/clock.ts';
import { withTimeout } from '../../../base/time/with-timeout.ts';
import type { Log } from '../../log/log.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import type { Repositories } from '../../storage/repositories.ts';
import type { TracedLeg } from '../traces/sip-traces.ts';
import { callTrace } from './call-trace.ts';
import type { TraceSink } from './otlp-traces.ts';
import { idsOf, readTraceparent, spanIdBelow, type TraceableCall, type TraceContext } from './trace-context.ts';
import type { TraceSpan } from './trace-span.ts';

/** Ended calls whose traces wait to be read and written. Further ones have no trace: the database is slow or unreachable. */
export const ENDED_CALLS_MAX = 1_000;
/** Calls read from the database at once: the reads of calls in progress come first. */
export const READS_MAX = 2;
/** How long a stop waits for the reads of ended calls, ms: a database that does not answer must not hold the process. */
export const STOP_READS_MS = 3_000;
/** Latest calls whose context webhook deliveries and log lines need again. */
const CONTEXTS_MAX = 1_024;

export interface CallTracingOptions {
  readonly sink: TraceSink;
  readonly repositories: Pick<Repositories, 'calls' | 'journal'>;
  /** SIP messages of the legs of a call, as far as this node has them. */
  readonly legsOf: (callId: string) => readonly TracedLeg[];
  readonly capturesContent: boolean;
  readonly log: Pick<Log, 'warn'>;
  readonly clock: Pick<Clock, 'after'>;
}

/** A request of a call that has been answered, or has failed. */
export interface SentRequest {
  readonly fromMs: number;
  readonly toMs: number;
  /** Null: no response. */
  readonly httpStatus: number | null;
}

/** A request that names its own span in `traceparent`. */
export interface RequestSpan {
  readonly context: TraceContext;
  /** Writes the span, unless the trace is not sampled. */
  end(sent: SentRequest): void;
}

/**
 * The traces of calls. Each trace is made when its call has ended, from what is stored of it; until then, requests of the call name its
 * spans in `traceparent`. Spans of webhooks are written as they are sent: most of them follow the end.
 */
export class CallTracing {
  readonly #options: CallTracingOptions;
  readonly #contexts = new Map<string, TraceContext>();
  readonly #ended: string[] = [];
  #reading = 0;
  #idle: () => void = () => undefined;

  constructor(options: CallTracingOptions) {
    this.#options = options;
  }

  /** The first span of the call. */
  contextOf(call: TraceableCall): TraceContext {
    const ids = idsOf(call);
    const context = { ...ids, isSampled: this.#options.sink.isSampled(ids.traceId, readTraceparent(call.traceparent)) };
    this.#contexts.set(call.id, context);
    const [oldest] = this.#contexts.keys();
    if (this.#contexts.size > CONTEXTS_MAX && oldest !== undefined) this.#contexts.delete(oldest);
    return context;
  }

  /** The first span of one of the latest calls; null for others. */
  knownContext(callId: string): TraceContext | null {
    return this.#contexts.get(callId) ?? null;
  }

  /** The call is over, and all of its data is stored. */
  callEnded(callId: string): void {
    if (this.#ended.length >= ENDED_CALLS_MAX) {
      this.#options.log.warn({ call_id: callId, reason: 'too many ended calls wait' }, 'call trace skipped');
      return;
    }
    this.#ended.push(callId);
    if (this.#reading < READS_MAX) void this.#write();
  }

  /** A request of the lookup webhook; its call has no row yet. */
  lookup(call: TraceableCall): RequestSpan {
    return this.#request(this.contextOf(call), { key: 'lookup', name: 'webhook inbound_call_lookup', callId: call.id });
  }

  /** One attempt to deliver an event. Null: its call cannot be read. Never rejects. */
  async delivery(event: {
    readonly id: string;
    readonly callId: string;
    readonly type: string;
    readonly attempts: number;
  }): Promise<RequestSpan | null> {
    const { attempts, callId, id, type } = event;
    const context = await this.#contextById(callId);
    if (context === null) return null;
    return this.#request(context, { key: `event ${id} ${attempts}`, name: `webhook ${type}`, callId });
  }

  /** Resolves when the traces of ended calls are written and sent, as far as database and collector take them within seconds. */
  async stop(): Promise<void> {
    const { clock, sink } = this.#options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#idle = resolve;
    if (this.#reading === 0) resolve();
    await withTimeout(promise, STOP_READS_MS, () => this.#skipWaiting(), clock);
    await sink.stop();
  }

  #skipWaiting(): void {
    const reason = 'the service stops';
    for (const callId of this.#ended.splice(0))
      this.#options.log.warn({ call_id: callId, reason }, 'call trace skipped');
  }

  #request(call: TraceContext, { callId, key, name }: { callId: string; key: string; name: string }): RequestSpan {
    const context = { ...call, spanId: spanIdBelow(call.spanId, key) };
    return {
      context,
      end: ({ fromMs, httpStatus, toMs }) => {
        if (!context.isSampled) return;
        const span: TraceSpan = {
          spanId: context.spanId,
          parentId: call.spanId,
          name,
          kind: 'client',
          fromUs: fromMs * 1000,
          toUs: toMs * 1000,
          attributes: {
            'http.request.method': 'POST',
            'trunkline.call.id': callId,
            ...(httpStatus !== null && { 'http.response.status_code': httpStatus }),
          },
          events: [],
          error: httpStatus === null ? '_OTHER' : httpStatus >= 400 ? String(httpStatus) : null,
        };
        this.#options.sink.export(context.traceId, [span]);
      },
    };
  }

  async #contextById(callId: string): Promise<TraceContext | null> {
    const known = this.#contexts.get(callId);
    if (known !== undefined) return known;
    const call = await this.#options.repositories.calls.find(callId).catch(() => null);
    return call === null ? null : this.contextOf(call);
  }

  async #write(): Promise<void> {
    this.#reading += 1;
    for (let callId = this.#ended.shift(); callId !== undefined; callId = this.#ended.shift()) {
      try {
        const call = await this.#options.repositories.calls.find(callId);
        if (call !== null) await this.#writeTrace(call);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        this.#options.log.warn({ call_id: callId, reason }, 'call trace skipped');
      }
    }
    this.#reading -= 1;
    if (this.#reading === 0) this.#idle();
  }

  async #writeTrace(call: CallRecord): Promise<void> {
    const { capturesContent, legsOf, repositories, sink } = this.#options;
    const { isSampled, traceId } = this.contextOf(call);
    if (!isSampled) return;
    const { journal } = repositories;
    const [transcript, turns, spans] = await Promise.all([
      journal.transcript(call.id),
      journal.turns(call.id),
      journal.spans(call.id),
    ]);
    sink.export(traceId, callTrace({ call, transcript, turns, spans, legs: legsOf(call.id) }, { capturesContent }));
  }
}
