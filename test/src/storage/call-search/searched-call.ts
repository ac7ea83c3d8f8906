import fc from 'fast-check';
import { ANSWER_TYPES } from '../../../../engine/ports/answer-type.ts';
import { createRollupRepository } from '../../../../src/storage/analytics/rollup-repository.ts';
import type { CallFilter } from '../../../../src/storage/call-search/call-filter.ts';
import { searchedText } from '../../../../src/storage/call-search/text-query.ts';
import type { CallRecord } from '../../../../src/storage/calls/call-record.ts';
import { createCallRepository } from '../../../../src/storage/calls/call-repository.ts';
import type { Database } from '../../../../src/storage/database/database.ts';
import type { JsonObject } from '../../../../src/storage/schema/json-object.ts';
import { newCall, START_MS } from '../temporary-database.ts';

const DIRECTIONS = ['inbound', 'outbound'] as const;
const END_REASONS = ['caller_hangup', 'agent_hangup'] as const;
const STEP_MS = 1_000;
/** The longest response time of each call, in medians. */
const SLOWEST = 2;
export const NUMBER = '+4915112345678';

export interface SearchedCall {
  readonly fromNumber: string;
  readonly direction: (typeof DIRECTIONS)[number];
  readonly endReason: (typeof END_REASONS)[number] | null;
  readonly answerType: 'human' | 'voicemail' | null;
  readonly cost: number;
  readonly responseMs: number | null;
  readonly metadata: JsonObject;
  readonly text: string;
}

const TEXTS = [
  'Can you call me back about the appointment?',
  'You appointed me. Back then I would call.',
  'Rappelez-moi à l’heure, s’il vous plaît!',
  'Bitte rufen Sie zurück, Größe 42.',
  '',
] as const;
/** Queries, with the rule of each on the texts above. */
const QUERIES: Readonly<Record<string, RegExp>> = {
  'call back': /call/,
  '"call me back"': /call me back/,
  'APPOINT*': /appoint/,
  'appointm*': /appointment/,
  appoint: /\bappoint\b/,
  '"you app*" me': /You app/,
  "l'heure plait": /l’heure/,
  'zuru* "groß*': /zurück/,
  '42': /42/,
  'ca*': /\bca\b/,
  'call zuruck': /never/,
  '"me call"': /never/,
  'call back the': /call me back about the/,
  'call appointm* me': /call me back about the/,
  '"*" -': /never/,
};

export const anyCall: fc.Arbitrary<SearchedCall> = fc.record({
  fromNumber: fc.constantFrom(NUMBER, '+4989111111'),
  direction: fc.constantFrom(...DIRECTIONS),
  endReason: fc.constantFrom(...END_REASONS, null),
  answerType: fc.constantFrom('human', 'voicemail', null),
  cost: fc.constantFrom(0, 0.5, 1, 2),
  responseMs: fc.constantFrom(null, 400, 900),
  text: fc.constantFrom(...TEXTS),
  metadata: fc.constantFrom({}, { campaign: 'spring' }, { campaign: 'spring', count: 1 }, { count: '1', deep: {} }),
});

const PLAIN_FILTERS = {
  type: fc.constant('phone_call' as const),
  fromNumber: fc.constantFrom(NUMBER, '+4989111111'),
  toNumber: fc.constant('+493012345678'),
  startAfterMs: fc.constantFrom(START_MS, START_MS + 3 * STEP_MS),
  startBeforeMs: fc.constantFrom(START_MS + 4 * STEP_MS),
  createdAfterMs: fc.constantFrom(START_MS, START_MS + 3 * STEP_MS),
  createdBeforeMs: fc.constantFrom(START_MS + 4 * STEP_MS),
  running: fc.constant(true as const),
};
const ANY_FILTERS = {
  ...PLAIN_FILTERS,
  direction: fc.constantFrom(...DIRECTIONS),
  status: fc.constantFrom('completed' as const, 'initiated' as const),
  endReason: fc.constantFrom(...END_REASONS),
  answerType: fc.constantFrom(...ANSWER_TYPES),
  costAbove: fc.constantFrom(0, 0.5, 3),
  costBelow: fc.constantFrom(1, 2),
  responseAboveMs: fc.constantFrom(300, 400),
  responseBelowMs: fc.constantFrom(400, 900, 1_000),
  slowestAboveMs: fc.constantFrom(400, 1_000),
  slowestBelowMs: fc.constantFrom(500, 2_000),
  metadata: fc.constantFrom<NonNullable<CallFilter['metadata']>>(
    { campaign: 'spring' },
    { campaign: 'spring', count: 1 },
  ),
  transcript: fc.constantFrom(...Object.keys(QUERIES)),
};
/** One to three filters: more of them rarely leave a call. */
export const anyFilter = someOf(fc.record(ANY_FILTERS));
export const plainFilter = someOf(fc.record(PLAIN_FILTERS));

function someOf(every: fc.Arbitrary<CallFilter>): fc.Arbitrary<CallFilter> {
  const names = fc.infiniteStream(fc.nat());
  return fc.tuple(every, fc.integer({ min: 1, max: 3 }), names).map(([all, count, random]) => {
    const left = Object.entries(all);
    const kept = Array.from({ length: count }, () => left.splice((random.next().value ?? 0) % left.length, 1));
    return Object.fromEntries(kept.flat());
  });
}

/** Returns the text that is searched: that of an ended call. */
export async function storeCall(
  database: Database,
  agentId: string,
  organizationId: string,
  call: SearchedCall,
  nth: number,
) {
  const calls = createCallRepository(database);
  const nowMs = START_MS + nth * STEP_MS;
  const { id } = newCall(agentId);
  const { direction, fromNumber } = call;
  await calls.createCall(newCall(agentId, { id, organizationId, nowMs, direction, fromNumber }));
  const { answerType, cost, endReason, metadata, responseMs, text } = call;
  const patch = {
    cost,
    ...(nth % 2 === 0 && { startMs: nowMs }),
    ...(answerType !== null && { answerType }),
    metrics: responseMs === null ? {} : { response_ms: { median: responseMs, p95: responseMs } },
  };
  if (endReason === null) await calls.update(id, patch);
  else await calls.finish(id, { status: 'completed', endReason, atMs: nowMs, patch });
  if (responseMs !== null) await createRollupRepository(database).setSlowestResponse(id, SLOWEST * responseMs);
  const texts = endReason === null ? [] : [{ callId: id, words: searchedText([text]) }];
  await createRollupRepository(database).add([], texts);
  const stored = await calls.find(id);
  if (stored !== null) await calls.replaceMetadata(stored, metadata);
  return [id, endReason === null ? '' : text] as const;
}

/** The rule of each filter, on a call as the API shows it. */
export function matches(call: CallRecord, text: string, filter: CallFilter): boolean {
  const median = (call.metrics?.response_ms as { median: number } | undefined)?.median ?? null;
  const isIn = (value: number | null, above: number | undefined, below: number | undefined) =>
    (above === undefined && below === undefined) ||
    (value !== null && value > (above ?? Number.NEGATIVE_INFINITY) && value < (below ?? Number.POSITIVE_INFINITY));
  return (
    (filter.type ?? call.type) === call.type &&
    (filter.fromNumber ?? call.fromNumber) === call.fromNumber &&
    (filter.toNumber ?? call.toNumber) === call.toNumber &&
    (filter.direction ?? call.direction) === call.direction &&
    (filter.status ?? call.status) === call.status &&
    (filter.endReason ?? call.endReason) === call.endReason &&
    (filter.answerType ?? call.answerType) === call.answerType &&
    isIn(call.cost, filter.costAbove, filter.costBelow) &&
    isIn(median, filter.responseAboveMs, filter.responseBelowMs) &&
    isIn(median === null ? null : SLOWEST * median, filter.slowestAboveMs, filter.slowestBelowMs) &&
    isIn(call.startMs, filter.startAfterMs, filter.startBeforeMs) &&
    isIn(call.createdMs, filter.createdAfterMs, filter.createdBeforeMs) &&
    Object.entries(filter.metadata ?? {}).every(([name, value]) => call.metadata[name] === value) &&
    (filter.transcript === undefined || QUERIES[filter.transcript]?.test(text) === true) &&
    (filter.running !== true || call.endMs === null)
  );
}
