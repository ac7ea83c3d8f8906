import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { bodyOf } from '../api/connection.ts';
import { type CallTimeline, getTimeline } from '../generated/client.ts';

/** The timeline of a call. */
export function useTimeline(callId: string): UseQueryResult<CallTimeline> {
  return useQuery({
    queryKey: ['timeline', callId],
    queryFn: async () => (await bodyOf(getTimeline(callId))).data,
  });
}
