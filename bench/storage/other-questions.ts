import type { AuditFilter } from '../../src/storage/access/audit-log-repository.ts';
import type {
  CallSumsQuery,
  CostsQuery,
  ResponseTimesQuery,
} from '../../src/storage/analytics/analytics-repository.ts';
import type { DeliveryFilter, DeliveryPage } from '../../src/storage/events/delivery-list.ts';
import { ORGANIZATION, PAGE_SIZE, type Question, type StoredYear } from './question.ts';
import { COMMON_ACTION, COMMON_KEY, RARE_ACTION, RARE_KEY } from './year-of-audits.ts';
import { COMMON_AGENT, RARE_AGENT } from './year-of-calls.ts';

const DAY_MS = 24 * 3_600_000;
/** The bound of the API, and one more. */
const ROWS = 2_501;
const RUNNING_MAX = 500;

/** Each grouping, over a day, a month and a year, by hour, by day and in total. */
export function analyticsQuestions({ toMs }: StoredYear): readonly Question[] {
  const ranges = [
    ['a day by hour', { fromMs: toMs - DAY_MS, toMs, interval: 'hour' }],
    ['31 days by hour', { fromMs: toMs - 31 * DAY_MS, toMs, interval: 'hour' }],
    ['31 days by day', { fromMs: toMs - 31 * DAY_MS, toMs, interval: 'day' }],
    ['a year by day', { fromMs: toMs - 365 * DAY_MS, toMs, interval: 'day' }],
    ['a year', { fromMs: toMs - 365 * DAY_MS, toMs, interval: 'total' }],
  ] as const;
  const groups = [null, 'agent_id', 'direction', 'end_reason', 'answer_type'] as const;
  const providerGroups = [null, 'agent_id', 'transcriber', 'llm', 'voice'] as const;
  return ranges.flatMap(([range, of]) => [
    ...groups.map((groupBy) =>
      sums(`${range}, by ${groupBy ?? 'nothing'}`, { ...of, groupBy, where: {}, limit: ROWS }),
    ),
    sums(`${range}, of an agent`, { ...of, groupBy: null, where: { agent_id: COMMON_AGENT }, limit: ROWS }),
    ...(of.interval === 'hour'
      ? []
      : [
          ...providerGroups.map((groupBy) =>
            responseTimes(`${range}, by ${groupBy ?? 'nothing'}`, {
              ...of,
              interval: of.interval,
              groupBy,
              agentId: null,
              limit: ROWS,
            }),
          ),
          responseTimes(`${range}, of an agent`, {
            ...of,
            interval: of.interval,
            groupBy: null,
            agentId: COMMON_AGENT,
            limit: ROWS,
          }),
          usage(range, of.fromMs, toMs, of.interval, null),
          usage(`${range}, of an agent`, of.fromMs, toMs, of.interval, COMMON_AGENT),
          costs(`${range}, by provider`, { fromMs: of.fromMs, toMs, interval: of.interval, groupBy: 'provider' }),
          costs(`${range}, by model`, { fromMs: of.fromMs, toMs, interval: of.interval, groupBy: 'model' }),
        ]),
  ]);
}

function sums(name: string, query: CallSumsQuery): Question {
  return { name: `analytics: calls of ${name}`, ask: ({ analytics }) => analytics.callSums(ORGANIZATION, query) };
}

function responseTimes(name: string, query: ResponseTimesQuery): Question {
  const ask: Question['ask'] = ({ analytics }) => analytics.responseTimes(ORGANIZATION, query);
  return { name: `analytics: response times of ${name}`, ask };
}

function usage(
  name: string,
  fromMs: number,
  toMs: number,
  interval: 'day' | 'total',
  agentId: string | null,
): Question {
  const query = { fromMs, toMs, interval, agentId, limit: ROWS };
  return { name: `usage: ${name}`, ask: ({ analytics }) => analytics.usage(ORGANIZATION, query) };
}

function costs(name: string, of: Omit<CostsQuery, 'agentId' | 'limit'>): Question {
  const query = { ...of, agentId: null, limit: ROWS };
  return { name: `costs: ${name}`, ask: ({ analytics }) => analytics.costs(ORGANIZATION, query) };
}

/** Webhook deliveries and the audit log. */
export function logQuestions({ middleMs }: StoredYear): readonly Question[] {
  const deliveries: readonly (readonly [string, DeliveryFilter])[] = [
    ['none', {}],
    ['agent', { agentId: COMMON_AGENT }],
    ['agent, rare', { agentId: RARE_AGENT }],
    ['failed', { status: 'failed' }],
    ['pending', { status: 'pending' }],
    ['delivered', { status: 'delivered' }],
    ['agent, failed: none', { agentId: COMMON_AGENT, status: 'failed' }],
    ['agent rare, pending: none', { agentId: RARE_AGENT, status: 'pending' }],
    ['agent, delivered', { agentId: COMMON_AGENT, status: 'delivered' }],
  ];
  const audits: readonly (readonly [string, AuditFilter])[] = [
    ['none', {}],
    ['key', { keyId: COMMON_KEY }],
    ['key, rare', { keyId: RARE_KEY }],
    ['key, none', { keyId: 'key none' }],
    ['action', { action: COMMON_ACTION }],
    ['action, rare', { action: RARE_ACTION }],
    ['key, action: none', { keyId: COMMON_KEY, action: RARE_ACTION }],
    ['target', { targetId: 'bench-call-00000000-000000000000-7' }],
    [
      'target, key, action',
      { targetId: 'bench-call-00000000-000000000000-7', keyId: COMMON_KEY, action: COMMON_ACTION },
    ],
    ['time', { fromMs: middleMs - DAY_MS, toMs: middleMs }],
    ['action rare, time: none', { action: RARE_ACTION, fromMs: middleMs - 3_600_000, toMs: middleMs }],
  ];
  return [
    ...deliveries.flatMap(([name, filter]) => [
      delivered(`deliveries: ${name}`, filter, { mode: 'cursor', before: null, limit: PAGE_SIZE }),
      delivered(`deliveries, page 2: ${name}`, filter, { mode: 'page', page: 2, limit: PAGE_SIZE }),
    ]),
    delivered(
      'deliveries, middle: none',
      {},
      {
        mode: 'cursor',
        before: { createdMs: middleMs, callId: '', sequence: 0 },
        limit: PAGE_SIZE,
      },
    ),
    ...audits.map(([name, filter]): Question => {
      const page = { before: null, limit: PAGE_SIZE };
      return { name: `audit log: ${name}`, ask: ({ auditLog }) => auditLog.list(ORGANIZATION, filter, page) };
    }),
  ];
}

function delivered(name: string, filter: DeliveryFilter, page: DeliveryPage): Question {
  return { name, ask: ({ webhookDeliveries }) => webhookDeliveries.list(ORGANIZATION, filter, page) };
}

/** Reads of one call, and of the calls that run; work that the service does at its start and in the background. */
export function callQuestions({ callId, newestMs }: StoredYear): readonly Question[] {
  return [
    { name: 'running calls', ask: ({ callLists }) => callLists.running(ORGANIZATION, {}, RUNNING_MAX) },
    {
      name: 'call of half an hour',
      ask: ({ calls, journal, postCall }) =>
        Promise.all([
          calls.findInOrganization(ORGANIZATION, callId),
          journal.transcript(callId),
          journal.variables(callId),
          journal.turns(callId),
          postCall.answersTo(callId),
        ]),
    },
    {
      name: 'timeline of half an hour',
      ask: ({ callEvents, journal }) =>
        Promise.all([
          journal.transcript(callId),
          journal.turns(callId),
          journal.spans(callId),
          callEvents.ofTypes(callId, ['event_state_changed', 'event_variable_value_updated']),
          journal.variables(callId),
        ]),
    },
    { name: 'event stream: events of a call', ask: ({ callEvents }) => callEvents.after(callId, 0, 100) },
    { name: 'start: calls in flight', ask: ({ calls }) => calls.callsInFlight() },
    { name: 'start: ended calls with dialogs', ask: ({ calls }) => calls.endedWithDialogs() },
    { name: 'start: unfinished recordings', ask: ({ calls }) => calls.callsWithUnfinishedRecording() },
    { name: 'sweep: expired staged calls', ask: ({ calls }) => calls.expireStaged(newestMs) },
    { name: 'sweep: orphaned calls', ask: ({ nodes }) => nodes.orphanedCalls() },
    { name: 'retention: calls with content', ask: ({ callDeletion }) => callDeletion.keptCalls(newestMs, null, 100) },
    { name: 'metrics: open work', ask: ({ openWork }) => openWork.openWork() },
    { name: 'webhooks: due deliveries', ask: ({ outbox }) => outbox.dueDeliveries(0, 100) },
    { name: 'rollups: due jobs', ask: ({ rollups }) => rollups.due(20) },
  ];
}
