import { useQuery } from '@tanstack/react-query';
import { bodyOf } from '../api/connection.ts';
import { type CallTimeline, getTimeline } from '../generated/client.ts';

/** The timeline of a call; null until it is read. */
export function useTimeline(callId: string): CallTimeline | null {
  const query = useQuery({ queryKey: ['timeline', callId], queryFn: () => bodyOf(getTimeline(callId)) });
  return query.data?.data ?? null;
}
