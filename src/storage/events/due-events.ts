import { type Expression, type Kysely, sql } from 'kysely';
import type { DatabaseKind } from '../link/database-link.ts';
import type { CallEventTable, Tables } from '../schema/tables.ts';
import { NO_AGENT } from '../schema/tables.ts';

/**
 * Due events that a query returns of one agent. The deliverer sends eight to a receiver at a time, and those that it is sending are due as
 * well.
 */
export const DUE_PER_AGENT_MAX = 16;

/** Literals: with parameters the databases could not use the partial index. */
const PENDING = sql.lit('pending');
const AT_HEAD = sql.lit(0);

/**
 * Due events with the URL of their agent, the oldest first. It reads the index agent by agent, so an agent without a receiver costs one
 * look-up, however many of its events are pending. Further conditions on `due_agents` do the same for other agents.
 */
export function dueEvents(kind: DatabaseKind, query: Kysely<Tables>, nowMs: Expression<number>) {
  const ofAgent = query
    .selectFrom('call_events as due')
    .where('due.agent_id', '=', sql.ref<string>('due_agents.agent_id'))
    .where('due.status', '=', PENDING)
    .where('due.waits', '=', AT_HEAD)
    .where('due.next_attempt_ms', '<=', nowMs)
    .orderBy('due.next_attempt_ms')
    .orderBy('due.sequence')
    .limit(sql.lit(DUE_PER_AGENT_MAX));
  // SQLite has no lateral join, and keeps the order of a cross join. PostgreSQL would run the subquery for each event.
  const events =
    kind === 'postgres'
      ? sql<CallEventTable>`LATERAL ${ofAgent.selectAll('due')}`
      : sql<CallEventTable>`${sql.ref('call_events')}`;
  return withDueAgents(query)
    .selectFrom('due_agents')
    .leftJoin('agents', 'agents.id', 'due_agents.agent_id')
    .crossJoin(events.as<'event'>(sql.ref('event')))
    .$if(kind === 'sqlite', (found) => found.where('event.id', 'in', ofAgent.select('due.id')))
    .where('agents.webhook_disabled_ms', 'is', null)
    .where((eb) => eb.or([eb('agents.id', 'is', null), eb('agents.webhook_url', 'is not', null)]))
    .select([
      'event.id',
      'event.organization_id',
      'event.agent_id',
      'event.call_id',
      'event.sequence',
      'event.type',
      'event.data_json',
      'event.created_ms',
      'event.attempts',
    ])
    .select((eb) => eb.fn.coalesce('agents.webhook_url', 'event.url').as('url'))
    .orderBy('event.next_attempt_ms')
    .orderBy('event.sequence');
}

/** The time of the next attempt after `nowMs`. */
export function nextAttempt(query: Kysely<Tables>, nowMs: Expression<number>) {
  return withDueAgents(query)
    .selectFrom('due_agents')
    .select((eb) => {
      const ofAgent = eb
        .selectFrom('call_events as later')
        .select((of) => of.fn.min('later.next_attempt_ms').as('next_ms'))
        .where('later.agent_id', '=', sql.ref<string>('due_agents.agent_id'))
        .where('later.status', '=', PENDING)
        .where('later.waits', '=', AT_HEAD)
        .where('later.next_attempt_ms', '>', nowMs);
      return sql<number | null>`min(${ofAgent})`.as('next_ms');
    });
}

/** The agents of events that do not wait: each is found from the one before it, and the last row is null. */
function withDueAgents(query: Kysely<Tables>) {
  return query.withRecursive('due_agents(agent_id)', (cte) =>
    cte.selectNoFrom(sql<string | null>`CAST(${sql.lit(NO_AGENT)} AS text)`.as('agent_id')).unionAll(
      cte
        .selectFrom('due_agents')
        .where('due_agents.agent_id', 'is not', null)
        .select((eb) =>
          eb
            .selectFrom('call_events as next')
            .select((of) => of.fn.min('next.agent_id').as('agent_id'))
            .where('next.status', '=', PENDING)
            .where('next.waits', '=', AT_HEAD)
            .where('next.agent_id', '>', sql.ref<string>('due_agents.agent_id'))
            .as('agent_id'),
        ),
    ),
  );
}
