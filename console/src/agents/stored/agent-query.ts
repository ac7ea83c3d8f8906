import { useQuery } from '@tanstack/react-query';
import { bodyOf } from '../../api/connection.ts';
import { getAgent, listVersions } from '../../generated/client.ts';

/**
 * Read once a page: another version from the service would replace unsaved changes. The service refuses to store them over a version
 * that the page has not read.
 */
const READ_ONCE = { refetchOnWindowFocus: false, refetchOnReconnect: false };
/** For a second reader on the page, which must not read again either. */
export const AS_READ = { staleTime: Number.POSITIVE_INFINITY };

/** An agent in one version; null: the active one. */
export function useAgent(agentId: string, version: number | null, options: Partial<typeof AS_READ> = {}) {
  return useQuery({
    queryKey: ['agent', agentId, version],
    queryFn: () => bodyOf(getAgent(agentId, version === null ? {} : { version })),
    ...READ_ONCE,
    ...options,
  });
}

/** Newest first. */
export function useVersions(agentId: string, options: Partial<typeof AS_READ> = {}) {
  return useQuery({
    queryKey: ['agent', agentId, 'versions'],
    queryFn: () => bodyOf(listVersions(agentId)),
    ...READ_ONCE,
    ...options,
  });
}
