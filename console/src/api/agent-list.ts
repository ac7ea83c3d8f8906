import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { listAgentNames, listAgents } from '../generated/client.ts';
import { bodyOf } from './connection.ts';

/** The most that one response of the API holds. Of more agents, only the newest have a name in lists and are offered in choices. */
const AGENTS_MAX = 1_000;
const PAGE_AGENTS = 100;

/** The ids and names of the newest agents of the organization in one response. */
export function useAgentNamesQuery() {
  return useQuery({ queryKey: ['agents', 'names'], queryFn: () => bodyOf(listAgentNames({ limit: AGENTS_MAX })) });
}

/** The ids and names of the agents of the organization, for choices. Empty until they are read. */
export function useAgents() {
  return useAgentNamesQuery().data?.data ?? [];
}

/** Names of agents by their id. */
export function useAgentNames(): ReadonlyMap<string, string> {
  return new Map(useAgents().map(({ id, name }) => [id, name]));
}

/** All agents, page by page. */
export function useAgentPages() {
  return useInfiniteQuery({
    queryKey: ['agents', 'pages'],
    queryFn: ({ pageParam }) => agentPage(pageParam),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? null,
  });
}

/** `cursor`: the `next_cursor` of the page before; empty for the first page. */
export function agentPage(cursor: string) {
  return bodyOf(listAgents({ limit: PAGE_AGENTS, useCursor: true, ...(cursor !== '' && { cursor }) }));
}
