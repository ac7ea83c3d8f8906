import { useQuery } from '@tanstack/react-query';
import { bodyOf } from '../../api/connection.ts';
import { listAgents } from '../../generated/client.ts';

/** Agents whose names are known. */
const AGENTS_MAX = 1_000;

/** The agents of the organization, for choices and names. Empty until they are read. */
export function useAgents() {
  const { data } = useQuery({ queryKey: ['agents'], queryFn: () => bodyOf(listAgents({ limit: AGENTS_MAX })) });
  return data?.data ?? [];
}

/** Names of agents by their id. */
export function useAgentNames(): ReadonlyMap<string, string> {
  return new Map(useAgents().map(({ id, name }) => [id, name]));
}
