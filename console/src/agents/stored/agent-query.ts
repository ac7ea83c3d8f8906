import { useQuery } from '@tanstack/react-query';
import { bodyOf } from '../../api/connection.ts';
import { getAgent, listVersions } from '../../generated/client.ts';

/** An agent in one version; null: the active one. */
export function useAgent(agentId: string, version: number | null) {
  return useQuery({
    queryKey: ['agent', agentId, version],
    queryFn: () => bodyOf(getAgent(agentId, version === null ? {} : { version })),
  });
}

/** Newest first. */
export function useVersions(agentId: string) {
  return useQuery({ queryKey: ['agent', agentId, 'versions'], queryFn: () => bodyOf(listVersions(agentId)) });
}
