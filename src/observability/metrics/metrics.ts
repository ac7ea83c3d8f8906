import { Counter, Histogram, Registry } from 'prom-client';
import type { ProviderPart } from '../../../adapters/decorators/metrics/provider-metrics.ts';
import { turnTimes } from '../../../engine/metrics/turn-times.ts';
import type { ProviderError } from '../../../engine/ports/provider-error.ts';
import type { TurnRecord } from '../../../engine/ports/turn-record.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import type { CallEnd } from '../../storage/calls/call-repository.ts';
import type { RefusalCause } from '../../telephony/refusals/refusal-cause.ts';

/** Histogram buckets of response times, seconds: fine around one second, where users notice delays; one bucket above ten. */
const TURN_BUCKETS_S = [0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 5, 10];

/** Histogram buckets of provider latencies, seconds: from a local connection to the timeouts of the adapters. */
const FIRST_BYTE_BUCKETS_S = [0.025, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10];

/** Events of a turn that are counted. */
const TURN_EVENTS = [
  'reopened',
  'amended',
  'corrected',
  'interruption',
  'false_interruption',
  'ducked',
  'echo_word',
] as const;

const DELIVERY_OUTCOMES = ['delivered', 'retried', 'given_up'] as const;
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

/**
 * Counters and histograms. Labels are closed sets and provider names, so the number of series is bounded. No label contains a call,
 * agent, number or organization.
 */
export class Metrics {
  readonly registry = new Registry();
  readonly #created = new Counter({
    name: 'trunkline_calls_created_total',
    help: 'Calls created.',
    labelNames: ['direction'] as const,
    registers: [this.registry],
  });
  readonly #ended = new Counter({
    name: 'trunkline_calls_ended_total',
    help: 'Calls ended, by final status and reason.',
    labelNames: ['direction', 'status', 'end_reason'] as const,
    registers: [this.registry],
  });
  readonly #cost = new Counter({
    name: 'trunkline_call_cost_total',
    help: 'Cost of ended calls, in the currency of PRICES_FILE. 0 without it.',
    registers: [this.registry],
  });
  readonly #refused = new Counter({
    name: 'trunkline_invites_refused_total',
    help: 'Refused INVITEs, by cause. Requests that the SIP server ignores are not counted here.',
    labelNames: ['cause'] as const,
    registers: [this.registry],
  });
  readonly #ends = new Counter({
    name: 'trunkline_user_turns_total',
    help: 'Committed user turns, by what ended them.',
    labelNames: ['ended_by'] as const,
    registers: [this.registry],
  });
  readonly #turnEvents = new Counter({
    name: 'trunkline_turn_events_total',
    help: 'Turns reopened, amended and corrected, interruptions, false interruptions, ducked sounds, and words dropped as echo.',
    labelNames: ['event'] as const,
    registers: [this.registry],
  });
  readonly #turns = new Histogram({
    name: 'trunkline_turn_seconds',
    help:
      'Latency of each agent turn: endpointing, llm_first_token, voice_first_audio, engine, response (total); from the end of ' +
      'speech to the last request (asked), the commit (committed) and the answer without its fillers (answer).',
    labelNames: ['part'] as const,
    buckets: TURN_BUCKETS_S,
    registers: [this.registry],
  });
  readonly #providerErrors = new Counter({
    name: 'trunkline_provider_errors_total',
    help: 'Provider failures, by provider, part and error code.',
    labelNames: ['provider', 'part', 'code'] as const,
    registers: [this.registry],
  });
  readonly #firstBytes = new Histogram({
    name: 'trunkline_provider_first_byte_seconds',
    help: 'Time to the first byte of a provider: transcriber accepts audio, first token, first voice audio, embedded question.',
    labelNames: ['provider', 'part'] as const,
    buckets: FIRST_BYTE_BUCKETS_S,
    registers: [this.registry],
  });
  readonly #deliveries = new Counter({
    name: 'trunkline_webhook_attempts_total',
    help: 'Webhook delivery attempts: delivered, retried (failed, another follows), given_up (last attempt failed).',
    labelNames: ['outcome'] as const,
    registers: [this.registry],
  });

  readonly #limitQueries = new Counter({
    name: 'trunkline_shared_limit_queries_total',
    help: 'Queries for limits that hold over several nodes: answered, failed (the limit counts on each node alone).',
    labelNames: ['outcome'] as const,
    registers: [this.registry],
  });

  constructor() {
    // A series that begins with its first event has no rate for it.
    for (const event of TURN_EVENTS) this.#turnEvents.inc({ event }, 0);
    for (const outcome of DELIVERY_OUTCOMES) this.#deliveries.inc({ outcome }, 0);
  }

  callCreated(direction: CallRecord['direction']): void {
    this.#created.inc({ direction });
  }

  callEnded(direction: CallRecord['direction'], { status, endReason }: Pick<CallEnd, 'status' | 'endReason'>): void {
    this.#ended.inc({ direction, status, end_reason: endReason });
  }

  /** `cost`: of an ended call, not negative. */
  callPaid(cost: number): void {
    this.#cost.inc(cost);
  }

  inviteRefused(cause: RefusalCause): void {
    this.#refused.inc({ cause });
  }

  turn(record: TurnRecord): void {
    this.#turnTimes(record);
    const { user } = record;
    if (user !== null) this.#ends.inc({ ended_by: user.endedBy });
    const events: Record<(typeof TURN_EVENTS)[number], number> = {
      reopened: user?.reopened ?? 0,
      amended: user?.amended ?? 0,
      corrected: Number(user?.corrected ?? false),
      interruption: Number(record.interrupted),
      false_interruption: record.falseInterruptions,
      ducked: record.ducked,
      echo_word: record.echoWords,
    };
    for (const event of TURN_EVENTS) this.#turnEvents.inc({ event }, events[event]);
  }

  #turnTimes(record: TurnRecord): void {
    const times = turnTimes(record);
    const parts = {
      endpointing: times.endpointingMs,
      llm_first_token: times.llmFirstTokenMs,
      voice_first_audio: times.voiceFirstAudioMs,
      engine: times.engineMs,
      response: times.responseMs,
      asked: times.askedMs,
      committed: times.committedMs,
      answer: times.answerMs,
    };
    for (const [part, ms] of Object.entries(parts)) if (ms !== null) this.#turns.observe({ part }, ms / 1_000);
  }

  providerFailed(part: ProviderPart, { provider, code }: Pick<ProviderError, 'provider' | 'code'>): void {
    this.#providerErrors.inc({ provider, part, code });
  }

  firstByte(part: ProviderPart, provider: string, ms: number): void {
    this.#firstBytes.observe({ provider, part }, ms / 1_000);
  }

  deliveryAttempted(outcome: DeliveryOutcome): void {
    this.#deliveries.inc({ outcome });
  }

  sharedLimitAsked(outcome: 'answered' | 'failed'): void {
    this.#limitQueries.inc({ outcome });
  }
}
