import type { z } from 'zod';
import type { CallSumsRow, CostRow, RollupRange, UsageRow } from '../../storage/analytics/analytics-repository.ts';
import { percentile } from '../../storage/analytics/response-histogram.ts';
import type { Api, RouteContext } from '../context/route-context.ts';
import { invalidField } from '../errors/api-error.ts';
import { envelopeOf, FAILURES, success } from '../errors/envelope.ts';
import { organizationOf } from '../requests/authentication.ts';
import {
  callAnalytics,
  callAnalyticsQuery,
  costs,
  costsQuery,
  DAYS_MAX,
  responseTimes,
  responseTimesQuery,
  usage,
  usageQuery,
} from '../schemas/analytics.ts';
import { givenTimeMs } from '../schemas/primitives.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAYS_DEFAULT = 7;
/** Rows of one response, about 1 MB: more than a plot shows. */
const ROWS_MAX = 2_500;
/** Rows of costs are shorter: 400 days of 25 providers. */
const COST_ROWS_MAX = 10_000;
const COUNTED = 'Calls counted';
const MEASURED = 'Response times found';
const USED = 'Usage found';
const PAID = 'Costs found';
const ENDED_CALLS =
  'A call counts some seconds after its end, in the hour and day, in UTC, in which it began. Deleting the content of a call changes no count.';

/** Sums over ended calls, from rollups: the cost of an answer does not depend on the number of calls. */
export function analyticsRoutes(api: Api, context: RouteContext): void {
  callSums(api, context);
  responsePercentiles(api, context);
  providerUsage(api, context);
  providerCosts(api, context);
}

function callSums(api: Api, { authenticate, clock, repositories }: RouteContext): void {
  api.route({
    method: 'GET',
    url: '/v1/analytics/calls',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'getCallAnalytics',
      summary: 'Count calls',
      description: `Returns numbers of calls with their duration, cost, interruptions, silences and tools. ${ENDED_CALLS}`,
      tags: ['Analytics'],
      querystring: callAnalyticsQuery,
      response: { 200: envelopeOf(callAnalytics, COUNTED), ...FAILURES },
    },
    handler: async (request) => {
      const { agent_id, answer_type, direction, end_reason, group_by: groupBy = null, interval } = request.query;
      const range = rangeOf(request.query, clock.wallMs());
      const where = {
        ...(agent_id !== undefined && { agent_id }),
        ...(answer_type !== undefined && { answer_type }),
        ...(direction !== undefined && { direction }),
        ...(end_reason !== undefined && { end_reason }),
      };
      const query = { ...range, interval, groupBy, where, limit: ROWS_MAX + 1 };
      const found = await repositories.analytics.callSums(organizationOf(request), query);
      return success(200, COUNTED, { ...rangeAnswer(range), rows: bounded(found).map(callRowAnswer) });
    },
  });
}

function responsePercentiles(api: Api, { authenticate, clock, repositories }: RouteContext): void {
  api.route({
    method: 'GET',
    url: '/v1/analytics/response-times',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'getResponseTimes',
      summary: 'Get response times',
      description:
        'Returns median and 95th percentile of the response time: from the end of the user speech to the first audio packet of the agent. ' +
        `They are counted in buckets, and off by at most 4.4 % between 100 ms and 20 s, beyond which the bound is returned. ${ENDED_CALLS}`,
      tags: ['Analytics'],
      querystring: responseTimesQuery,
      response: { 200: envelopeOf(responseTimes, MEASURED), ...FAILURES },
    },
    handler: async (request) => {
      const { agent_id: agentId = null, group_by: groupBy = null, interval } = request.query;
      const range = rangeOf(request.query, clock.wallMs());
      const query = { ...range, interval, groupBy, agentId, limit: ROWS_MAX + 1 };
      const found = await repositories.analytics.responseTimes(organizationOf(request), query);
      const rows = bounded(found).map(({ counts, group, startMs }) => ({
        start_time: timeAnswer(startMs),
        group: group === '' ? null : group,
        turns: counts.reduce((sum, count) => sum + count, 0),
        p50_ms: percentile(counts, 0.5) ?? 0,
        p95_ms: percentile(counts, 0.95) ?? 0,
      }));
      return success(200, MEASURED, { ...rangeAnswer(range), rows: rows.filter(({ turns }) => turns > 0) });
    },
  });
}

function providerUsage(api: Api, { authenticate, clock, repositories }: RouteContext): void {
  api.route({
    method: 'GET',
    url: '/v1/usage',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'getUsage',
      summary: 'Get the usage of providers',
      description: `Returns what ended calls used of each provider and model. ${ENDED_CALLS}`,
      tags: ['Analytics'],
      querystring: usageQuery,
      response: { 200: envelopeOf(usage, USED), ...FAILURES },
    },
    handler: async (request) => {
      const { agent_id: agentId = null, interval } = request.query;
      const range = rangeOf(request.query, clock.wallMs());
      const query = { ...range, interval, agentId, limit: ROWS_MAX + 1 };
      const found = await repositories.analytics.usage(organizationOf(request), query);
      return success(200, USED, { ...rangeAnswer(range), rows: bounded(found).map(usageAnswer) });
    },
  });
}

function providerCosts(api: Api, { authenticate, clock, repositories }: RouteContext): void {
  api.route({
    method: 'GET',
    url: '/v1/analytics/costs',
    onRequest: authenticate('read'),
    schema: {
      operationId: 'getCosts',
      summary: 'Get the cost of providers',
      description:
        'Returns what ended calls have cost, by provider or model, and for telephony. Costs follow from the price table at the end of ' +
        `each call. ${ENDED_CALLS}`,
      tags: ['Analytics'],
      querystring: costsQuery,
      response: { 200: envelopeOf(costs, PAID), ...FAILURES },
    },
    handler: async (request) => {
      const { agent_id: agentId = null, group_by: groupBy, interval } = request.query;
      const range = rangeOf(request.query, clock.wallMs());
      const query = { ...range, interval, groupBy, agentId, limit: COST_ROWS_MAX + 1 };
      const found = await repositories.analytics.costs(organizationOf(request), query);
      return success(200, PAID, { ...rangeAnswer(range), rows: bounded(found, COST_ROWS_MAX).map(costAnswer) });
    },
  });
}

interface RangeQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly interval: 'hour' | 'day' | 'total';
}

/**
 * The whole intervals that the range touches.
 *
 * @throws ApiError 422 for an empty or a long one
 */
function rangeOf({ from, interval, to }: RangeQuery, nowMs: number): RollupRange {
  const stepMs = interval === 'hour' ? HOUR_MS : DAY_MS;
  const endMs = to === undefined ? nowMs : givenTimeMs(to);
  const beginMs = from === undefined ? endMs - DAYS_DEFAULT * DAY_MS : givenTimeMs(from);
  if (beginMs >= endMs) throw invalidField(to === undefined ? 'from' : 'to', 'expected a time after `from`');
  const days = DAYS_MAX[interval];
  if (endMs - beginMs > days * DAY_MS) {
    throw invalidField('from', `expected at most ${days} days before \`to\` with the interval ${interval}`);
  }
  return { fromMs: Math.floor(beginMs / stepMs) * stepMs, toMs: Math.ceil(endMs / stepMs) * stepMs };
}

/** @throws ApiError 422 if a response would be too long */
function bounded<Row>(rows: readonly Row[], most = ROWS_MAX): readonly Row[] {
  if (rows.length <= most) return rows;
  throw invalidField('interval', `expected at most ${most} rows: choose a longer interval or a shorter range`);
}

function rangeAnswer({ fromMs, toMs }: RollupRange) {
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
}

function timeAnswer(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

function callRowAnswer({ group, startMs, sums }: CallSumsRow): z.output<typeof callAnalytics>['rows'][number] {
  return {
    start_time: timeAnswer(startMs),
    group: group === '' ? null : group,
    calls: sums.calls,
    answered_calls: sums.answered,
    duration_seconds: seconds(sums.duration_ms),
    cost: {
      total: money(sums.cost),
      telephony: money(sums.cost_telephony),
      transcriber: money(sums.cost_transcriber),
      llm: money(sums.cost_llm),
      voice: money(sums.cost_voice),
    },
    turns: sums.turns,
    interruptions: sums.interruptions,
    false_interruptions: sums.false_interruptions,
    silences: sums.silences,
    silence_seconds: seconds(sums.silence_ms),
    tool_calls: sums.tool_calls,
    tool_failures: sums.tool_failures,
  };
}

function costAnswer({ calls, cost, kind, model, provider, startMs }: CostRow): z.output<typeof costs>['rows'][number] {
  return {
    start_time: timeAnswer(startMs),
    kind,
    provider: provider === '' ? null : provider,
    model: model === '' ? null : model,
    calls,
    cost: money(cost),
  };
}

function usageAnswer({ kind, model, provider, startMs, sums }: UsageRow): z.output<typeof usage>['rows'][number] {
  // `GET /v1/analytics/costs` has the cost.
  const { audio_ms, cost: _, ...counts } = sums;
  return {
    start_time: timeAnswer(startMs),
    kind,
    provider,
    model: model === '' ? null : model,
    audio_seconds: seconds(audio_ms),
    ...counts,
  };
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}

/** Sums of amounts with six decimal places. */
function money(amount: number): number {
  return Math.round(amount * 1e6) / 1e6;
}
