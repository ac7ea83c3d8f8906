import { turnTimes } from '../../../engine/metrics/turn-times.ts';
import type { TurnRecord } from '../../../engine/ports/turn-record.ts';
import type { CallSpan } from '../../../engine/timeline/call-span.ts';
import { silencesOf } from '../../../engine/timeline/silences.ts';
import { BUCKET_COLUMNS, type BucketColumn, bucketOf } from '../../storage/analytics/response-histogram.ts';
import { type CallRollup, PROVIDER_KINDS, type ProviderUse, type UsageSums } from '../../storage/analytics/rollup.ts';
import type { CallRecord } from '../../storage/calls/call-record.ts';
import type { TranscriptRecord } from '../../storage/calls/transcript-record.ts';
import type { JsonObject } from '../../storage/schema/json-object.ts';

/** An ended call. Of one whose content was deleted the lists are empty. Times are µs since 1970. */
export interface EndedCall {
  readonly call: CallRecord;
  readonly transcript: readonly TranscriptRecord[];
  readonly turns: readonly TurnRecord[];
  readonly spans: readonly CallSpan[];
}

const NO_USE: UsageSums = {
  calls: 0,
  audio_ms: 0,
  input_tokens: 0,
  cached_input_tokens: 0,
  output_tokens: 0,
  characters: 0,
  cost: 0,
};

/**
 * The sums that an ended call adds to the rollups. A call without metrics, such as one that a crash ended, adds zeros.
 */
export function callRollup(ended: EndedCall): CallRollup {
  const { call, spans, transcript, turns } = ended;
  const metrics = call.metrics ?? {};
  const costs = objectOf(metrics.cost);
  const endedUs = call.endMs === null ? null : call.endMs * 1_000;
  const silences = spans.length === 0 ? [] : silencesOf({ spans, turns, transcript, endedUs });
  const tools = spans.filter((span) => span.type === 'tool');
  return {
    callId: call.id,
    organizationId: call.organizationId,
    createdMs: call.createdMs,
    dimensions: {
      agent_id: call.agentId ?? '',
      direction: call.direction,
      end_reason: call.endReason ?? '',
      answer_type: call.answerType ?? '',
    },
    sums: {
      calls: 1,
      answered: call.startMs === null ? 0 : 1,
      duration_ms: call.startMs === null || call.endMs === null ? 0 : Math.max(0, call.endMs - call.startMs),
      cost: call.cost,
      cost_telephony: numberOf(costs.telephony),
      cost_transcriber: numberOf(costs.transcriber),
      cost_llm: numberOf(costs.llm),
      cost_voice: numberOf(costs.voice),
      turns: numberOf(metrics.turns),
      interruptions: numberOf(metrics.interruptions),
      false_interruptions: numberOf(metrics.false_interruptions),
      silences: silences.length,
      silence_ms: Math.round(silences.reduce((sum, { fromUs, toUs }) => sum + toUs - fromUs, 0) / 1_000),
      tool_calls: tools.length,
      tool_failures: tools.filter(({ successful }) => !successful).length,
    },
    providers: providersOf(metrics, turns),
  };
}

/**
 * The usage of the call's providers, each with the response times of all its turns: a turn record does not name its providers, so
 * a call that changed a provider counts for both.
 */
function providersOf(metrics: JsonObject, turns: readonly TurnRecord[]): readonly ProviderUse[] {
  const buckets = responseTimes(turns);
  const used = Array.isArray(metrics.providers) ? metrics.providers.map(objectOf) : [];
  const uses = new Map<string, ProviderUse>();
  for (const entry of used) {
    const kind = PROVIDER_KINDS.find((known) => known === entry.kind);
    if (kind === undefined) continue;
    const provider = textOf(entry.provider);
    const model = textOf(entry.model);
    const name = JSON.stringify([kind, provider, model]);
    const before = uses.get(name)?.sums ?? NO_USE;
    uses.set(name, { kind, provider, model, sums: plus(before, entry), buckets });
  }
  const all: ProviderUse = { kind: 'all', provider: '', model: '', sums: { ...NO_USE, calls: 1 }, buckets };
  return [...(buckets.size === 0 ? [] : [all]), ...uses.values()];
}

function plus(before: UsageSums, entry: JsonObject): UsageSums {
  return {
    calls: 1,
    audio_ms: before.audio_ms + Math.round(numberOf(entry.audio_seconds) * 1_000),
    input_tokens: before.input_tokens + numberOf(entry.input_tokens),
    cached_input_tokens: before.cached_input_tokens + numberOf(entry.cached_input_tokens),
    output_tokens: before.output_tokens + numberOf(entry.output_tokens),
    characters: before.characters + numberOf(entry.characters),
    cost: before.cost + numberOf(entry.cost),
  };
}

function responseTimes(turns: readonly TurnRecord[]): ReadonlyMap<BucketColumn, number> {
  const counts = new Map<BucketColumn, number>();
  for (const turn of turns) {
    const { responseMs } = turnTimes(turn);
    const bucket = responseMs === null ? undefined : BUCKET_COLUMNS[bucketOf(responseMs)];
    if (bucket !== undefined) counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  }
  return counts;
}

function objectOf(value: JsonObject[string] | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !isList(value) ? value : {};
}

function isList(value: object): value is readonly unknown[] {
  return Array.isArray(value);
}

function numberOf(value: JsonObject[string] | undefined): number {
  return typeof value === 'number' ? value : 0;
}

function textOf(value: JsonObject[string] | undefined): string {
  return typeof value === 'string' ? value : '';
}
